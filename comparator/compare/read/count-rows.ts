import { rowsPointer } from '../../../vocabulary/mapping/row-pointers.ts'
import { describe, misfit, type Problem, problem } from './mapping-problem.ts'
import { resolvePointer } from './resolve-pointer.ts'

/** A response with more rows is unmapped. */
const rowsMax = 10_000

/** Number of rows: the length of the list before a pointer's `*`, at least one, and the same for all pointers. */
export function countRows(pointers: readonly string[], document: unknown): number | Problem {
  let count: number | undefined
  for (const pointer of pointers) {
    const path = rowsPointer(pointer)
    const list = resolvePointer(document, path)
    if (!Array.isArray(list)) return misfit(document, path, list, 'an array of rows')
    const isFit = list.length > 0 && (count === undefined || count === list.length)
    if (!isFit) return problem('shape', path, `${count ?? 'one or more'} rows`, describe(list))
    if (list.length > rowsMax) return problem('tooLarge', path, `at most ${rowsMax} rows`, describe(list))
    count = list.length
  }
  return count!
}
