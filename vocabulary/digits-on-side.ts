/** Digits beyond these are those of binary fractions, and no reader sees them. */
export const significantDigitsMax = 15
/** More not every browser's number format gives. */
const digitsMax = 20

/**
 * The least number of digits, from `least` on, with which every value is shown on its own side of every limit, or on it
 * where it lies there: 0.98999 is no 0.99. `shown`: the number that stands there for a value with so many digits.
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
