/** Further digits are artefacts of binary fractions. */
export const significantDigitsMax = 15
/** Not every browser's number format supports more. */
const digitsMax = 20

/**
 * The smallest number of digits, from `least` on, at which every value is shown on its true side of every limit, or on
 * the limit if it lies there: 0.98999 must not become 0.99. `shown`: the number displayed for a value with that many
 * digits.
 */
export function digitsOnSide(
  values: readonly number[],
  limits: readonly number[],
  shown: (value: number, digits: number) => number,
  least: number,
): number {
  const isOnSide = (digits: number) =>
    limits.every((limit) => values.every((value) => sideOf(shown(value, digits), limit) === sideOf(value, limit)))
  for (let digits = least; digits <= digitsMax; digits++) if (isOnSide(digits)) return digits
  return least
}

const sideOf = (value: number, limit: number) => Math.sign(asTold(value) - asTold(limit))

const asTold = (value: number) => Number(value.toPrecision(significantDigitsMax))
