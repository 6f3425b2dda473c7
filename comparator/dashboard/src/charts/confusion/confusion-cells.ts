export interface Confusion {
  labels: string[]
  counts: number[][]
}

export interface ConfusionCell {
  /** Label indices: the primary's and the candidate's. */
  row: number
  column: number
  count: number
  /** Share of the exchanges in which the primary gave this label. */
  share: number
}

/** One label: how often each side gave it, and how often both agreed on it. */
interface LabelTotals {
  label: string
  primary: number
  candidate: number
  agreed: number
  /** agreed ÷ primary; `null` if the primary never gave it. */
  agreement: number | null
}

/** The non-empty cells. */
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

/** Pairs of different labels, most frequent first. */
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
