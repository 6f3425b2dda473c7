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

/** Cohen's kappa, (po − pe) / (1 − pe). `null` without counts, or where chance alone would always agree. */
export function kappa({ cells, rows, columns, total }: Confusion): number | null {
  if (total <= 0) return null
  let agreed = 0
  for (const [row, column, count] of cells) if (row === column) agreed += count
  let byChance = 0
  for (const [label, count] of rows) byChance += (count / total) * ((columns.get(label) ?? 0) / total)
  return byChance < 1 ? (agreed / total - byChance) / (1 - byChance) : null
}
