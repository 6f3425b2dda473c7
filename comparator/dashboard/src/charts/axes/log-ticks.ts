/** Width of a character of a label, and the gap between two labels. */
const [characterPx, gapPx] = [6.5, 14]
/** Multiples of a power of ten, the roundest first. */
const multiplesKnown = [1, 2, 5, 3, 7, 4, 6, 8, 9]

/**
 * As many round ticks of a logarithmic axis as have room for their labels; the same in every decade. May be empty if
 * the ends are close together.
 */
export function logTicks(
  [from, to]: readonly [number, number],
  plotWidth: number,
  format: (value: number) => string,
): number[] {
  const decadePx = plotWidth / Math.log10(to / from)
  const first = Math.floor(Math.log10(from))
  const powers = Array.from({ length: Math.floor(Math.log10(to)) - first + 1 }, (_, k) => first + k)
  const labelPx = characterPx * Math.max(...powers.map((power) => format(10 ** power).length)) + gapPx
  const multiples: number[] = []
  for (const multiple of multiplesKnown) {
    if (multiples.every((other) => decadePx * decadesBetween(multiple, other) >= labelPx)) multiples.push(multiple)
  }
  const every = Math.ceil(labelPx / decadePx)
  return powers
    .filter((power) => power % every === 0)
    .flatMap((power) => multiples.map((multiple) => Number(`${multiple}e${power}`)))
    .filter((tick) => tick >= from && tick <= to)
    .toSorted((a, b) => a - b)
}

/** Between two multiples, or one and the other's next decade, whichever is nearer. */
function decadesBetween(a: number, b: number): number {
  const apart = Math.abs(Math.log10(a / b))
  return Math.min(apart, 1 - apart)
}
