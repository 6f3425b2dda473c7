import { rowSteps } from '../../../vocabulary/mapping/row-pointers.ts'
import { countRows } from './count-rows.ts'
import type { Problem } from './mapping-problem.ts'

/**
 * Reads each row if the pointers have a `*`, else the single answer as one row. The first row without an answer makes
 * the whole response a problem.
 */
export function readEachRow<Row extends string | unknown[]>(
  pointers: readonly string[],
  document: unknown,
  read: (row: number) => Row | Problem,
): Row[] | Problem {
  const count = rowSteps(pointers[0]!) > 0 ? countRows(pointers, document) : 1
  if (typeof count === 'object') return count
  const rows: Row[] = []
  for (let row = 0; row < count; row++) {
    const found = read(row)
    if (typeof found === 'object' && 'kind' in found) return found
    rows.push(found)
  }
  return rows
}
