/** What rollups need of one pair of values: means over its elements, and the greatest |c−p| (`maximum`). */
interface Differences {
  primary: number
  candidate: number
  primarySquare: number
  candidateSquare: number
  signed: number
  absolute: number
  squared: number
  maximum: number
}

/** Both sides must have the same number of elements, at least one. */
export function differencesOf(primary: number | number[], candidate: number | number[]): Differences {
  const ps = typeof primary === 'number' ? [primary] : primary
  const cs = typeof candidate === 'number' ? [candidate] : candidate
  const sums = { primary: 0, candidate: 0, primarySquare: 0, candidateSquare: 0, signed: 0, absolute: 0, squared: 0 }
  let maximum = 0
  for (let i = 0; i < ps.length; i++) {
    const p = ps[i]!
    const c = cs[i]!
    const d = c - p
    sums.primary += p
    sums.candidate += c
    sums.primarySquare += p * p
    sums.candidateSquare += c * c
    sums.signed += d
    sums.absolute += Math.abs(d)
    sums.squared += d * d
    maximum = Math.max(maximum, Math.abs(d))
  }
  const n = ps.length
  return {
    primary: sums.primary / n,
    candidate: sums.candidate / n,
    primarySquare: sums.primarySquare / n,
    candidateSquare: sums.candidateSquare / n,
    signed: sums.signed / n,
    absolute: sums.absolute / n,
    squared: sums.squared / n,
    maximum,
  }
}

/** Mean |b−a| over the elements; 0 without elements. */
export function absoluteError(a: number | number[], b: number | number[]): number {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(b - a)
  const as = typeof a === 'number' ? [a] : a
  const bs = typeof b === 'number' ? [b] : b
  let sum = 0
  for (let i = 0; i < as.length; i++) sum += Math.abs(bs[i]! - as[i]!)
  return as.length === 0 ? 0 : sum / as.length
}

export function elementsOf(value: number | number[]): number {
  return typeof value === 'number' ? 1 : value.length
}
