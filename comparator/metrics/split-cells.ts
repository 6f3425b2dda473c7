import type { Sums } from '../statistics/sums.ts'
import { isCell } from './measures.ts'

/** Cells of matrices are kept and read apart from all other sums: there may be thousands. */
export function splitCells(all: Sums): { sums: Sums; cells: Sums } {
  const sums: Sums = new Map()
  const cells: Sums = new Map()
  for (const [measure, sum] of all) (isCell(measure) ? cells : sums).set(measure, sum)
  return { sums, cells }
}
