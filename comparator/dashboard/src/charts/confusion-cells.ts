export interface Confusion {
  labels: string[]
  counts: number[][]
}

export interface ConfusionCell {
  /** Indexes of labels: the primary's, the candidate's. */
  row: number
  column: number
  count: number
  /** Of all that the primary called so. */
  share: number
}

/** One label: what each side called so, and how often the candidate agreed with the primary's. */
interface LabelTotals {
  label: string
  primary: number
  candidate: number
  agreed: number
  /** agreed ÷ primary; `null` where the primary never said it. */
  agreement: number | null
}

/** The cells that hold something. */
export function confusionCells({ counts }: Confusion): ConfusionCell[] {
  return counts.flatMap((row, i) => {
    const total = sum(row)
    return row.flatMap((count, j) => (count > 0 ? [{ row: i, column: j, count, share: count / total }] : []))
  })
}

export function labelTotals({ labels, counts }: Confusion): LabelTotals[] {
  const candidates = labels.map((_, j) => sum(counts.map((row) => row[j]!)))
  return labels.map((label, i) => {
    const primary = sum(counts[i]!)
    const agreed = counts[i]![i]!
    return { label, primary, candidate: candidates[i]!, agreed, agreement: primary > 0 ? agreed / primary : null }
  })
}

/** Pairs of labels that differ, the most frequent first. */
export function confusedPairs(confusion: Confusion): ConfusionCell[] {
  return confusionCells(confusion)
    .filter(({ row, column }) => row !== column)
    .toSorted((a, b) => b.count - a.count || b.share - a.share)
}

export function totalOf({ counts }: Confusion): number {
  return sum(counts.flat())
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
