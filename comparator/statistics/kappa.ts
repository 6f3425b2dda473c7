import type { Interval } from './proportion-sequence.ts'

/** One cell of a confusion matrix. */
export type Cell = [row: string, column: string, count: number]

/** A confusion matrix with the counts of its rows and of its columns, by label. */
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
 * Cohen's kappa (1960, "A coefficient of agreement for nominal scales"), (po − pe) / (1 − pe), with po the share of
 * agreement and pe that which the rows' and columns' shares would give by chance. `null` without counts, or where chance
 * alone would always agree.
 */
export function kappa(confusion: Confusion): number | null {
  if (confusion.total <= 0) return null
  const byChance = agreementByChance(confusion)
  return byChance < 1 ? (agreementOf(confusion) - byChance) / (1 - byChance) : null
}

/** Po, in [0, 1]. */
export function agreementOf({ cells, total }: Confusion): number {
  let agreed = 0
  for (const [row, column, count] of cells) if (row === column) agreed += count
  return agreed / total
}

/** Pe, in [0, 1]. */
function agreementByChance({ rows, columns, total }: Confusion): number {
  let byChance = 0
  for (const [label, count] of rows) byChance += (count / total) * ((columns.get(label) ?? 0) / total)
  return byChance
}

/**
 * Where kappa may lie if po may lie in `agreement`. Below: what disagrees beyond what did is of the classes that cost
 * most, which makes pe at most (1−ε)²·pe + ε(1−ε)·(the greatest row + the greatest column) + ε², ε being its share.
 * Above: with pe as seen.
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
