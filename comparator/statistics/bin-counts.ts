import { binOf } from './log-histogram.ts'

/** A logarithmic histogram: the non-empty bins in ascending order, and the count of each. Immutable. */
export interface BinCounts {
  bins: Int32Array
  counts: Float64Array
}

/** By measure. */
export type Bins = Map<string, BinCounts>

export const noCounts: BinCounts = { bins: new Int32Array(0), counts: new Float64Array(0) }

export function countValues(values: readonly number[]): BinCounts {
  const sorted = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) sorted[i] = binOf(values[i]!)
  sorted.sort()
  const into = room(sorted.length)
  let length = 0
  for (const bin of sorted) {
    if (into.bins[length - 1] !== bin) into.bins[length++] = bin
    into.counts[length - 1]! += 1
  }
  return cut(into, length)
}

/** A histogram from [bin, count] pairs in any order; each bin may occur once. */
export function binCountsOf(pairs: Iterable<readonly [bin: number, count: number]>): BinCounts {
  const ascending = [...pairs].sort(([a], [b]) => a - b)
  return {
    bins: Int32Array.from(ascending, ([bin]) => bin),
    counts: Float64Array.from(ascending, ([, count]) => count),
  }
}

export function pairsOf({ bins, counts }: BinCounts): [bin: number, count: number][] {
  return Array.from(bins, (bin, i) => [bin, counts[i]!])
}

/** The sum of any number of histograms. Merges by halves, so that shared bins are merged only a few times. */
export function sumOf(parts: readonly BinCounts[], from = 0, to = parts.length): BinCounts {
  if (to - from <= 1) return parts[from] ?? noCounts
  const middle = (from + to) >> 1
  return merge(sumOf(parts, from, middle), sumOf(parts, middle, to), 1)
}

/** The sum of all parts for each measure. */
export function mergeBins(parts: readonly Bins[]): Bins {
  const byMeasure = new Map<string, BinCounts[]>()
  for (const bins of parts) {
    for (const [measure, counts] of bins) byMeasure.getOrInsertComputed(measure, () => []).push(counts)
  }
  return new Map([...byMeasure].map(([measure, counts]) => [measure, sumOf(counts)]))
}

/** The whole less a part of it. */
export function without(whole: BinCounts, part: BinCounts): BinCounts {
  return merge(whole, part, -1)
}

function merge(a: BinCounts, b: BinCounts, sign: 1 | -1): BinCounts {
  const into = room(a.bins.length + b.bins.length)
  let length = 0
  for (let i = 0, j = 0; i < a.bins.length || j < b.bins.length; ) {
    const isOfA = j === b.bins.length || (i < a.bins.length && a.bins[i]! <= b.bins[j]!)
    const bin = isOfA ? a.bins[i]! : b.bins[j]!
    let count = isOfA ? a.counts[i++]! : 0
    if (j < b.bins.length && b.bins[j] === bin) count += sign * b.counts[j++]!
    if (count === 0) continue
    into.bins[length] = bin
    into.counts[length++] = count
  }
  return cut(into, length)
}

const room = (length: number): BinCounts => ({ bins: new Int32Array(length), counts: new Float64Array(length) })

const cut = ({ bins, counts }: BinCounts, length: number): BinCounts => ({
  bins: new Int32Array(bins.buffer, 0, length),
  counts: new Float64Array(counts.buffer, 0, length),
})
