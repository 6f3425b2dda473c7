import type { Interval } from './interval.ts'

/** One cell of a confusion matrix. */
export type Cell = [row: string, column: string, count: number]

/** A confusion matrix with the totals of its rows and columns, by label. */
export interface Confusion {
  cells: Cell[]
  rows: Map<string, number>
  columns: Map<string, number>
  total: number
}

export function confusionFrom(cells: Cell[]): Confusion {
  const rows = new Map<string, number>()
  const columns = new Map<string, number>()
  let total = 0
  for (const [row, column, count] of cells) {
    rows.set(row, (rows.get(row) ?? 0) + count)
    columns.set(column, (columns.get(column) ?? 0) + count)
    total += count
  }
  return { cells, rows, columns, total }
}

/**
 * Cohen's kappa (1960, "A coefficient of agreement for nominal scales"), (po − pe) / (1 − pe), where po is the share of
 * agreement and pe the share expected by chance from the rows' and columns' shares. `null` without counts, or where pe
 * is 1.
 */
export function kappa(confusion: Confusion): number | null {
  if (confusion.total <= 0) return null
  const byChance = agreementByChance(confusion)
  return byChance < 1 ? (agreementOf(confusion) - byChance) / (1 - byChance) : null
}

/** The share of agreement, po, in [0, 1]. */
export function agreementOf({ cells, total }: Confusion): number {
  let agreed = 0
  for (const [row, column, count] of cells) if (row === column) agreed += count
  return agreed / total
}

/** The share of agreement expected by chance, pe, in [0, 1]. */
function agreementByChance({ rows, columns, total }: Confusion): number {
  let byChance = 0
  for (const [label, count] of rows) byChance += (count / total) * ((columns.get(label) ?? 0) / total)
  return byChance
}

/**
 * The range of kappa if po may lie anywhere in `agreement`. The lower end assumes that the additional disagreement, a
 * share ε, is in the classes that cost most: then pe is at most (1−ε)²·pe + ε(1−ε)·(largest row + largest column) + ε².
 * The upper end takes pe as observed.
 */
export function kappaWithin(confusion: Confusion, agreement: Interval): Interval {
  const { rows, columns, total } = confusion
  const seen = agreementOf(confusion)
  const byChance = agreementByChance(confusion)
  const share = seen > 0 ? 1 - Math.min(seen, agreement.lower) / seen : 0
  const greatest = (Math.max(...rows.values()) + Math.max(...columns.values())) / total
  const byChanceAtMost = (1 - share) ** 2 * byChance + share * (1 - share) * greatest + share ** 2
  const at = (agreed: number, chance: number) => (chance < 1 ? 1 - (1 - agreed) / (1 - chance) : -1)
  return { lower: Math.max(-1, at(agreement.lower, byChanceAtMost)), upper: at(agreement.upper, byChance) }
}
