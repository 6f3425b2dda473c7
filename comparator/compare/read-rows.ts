import type { Leg } from '../../vocabulary/observation.ts'
import type { ClassificationMapping } from '../../vocabulary/output-mapping.ts'
import { atRow, rowsPointer } from '../../vocabulary/row-pointers.ts'
import type { ClassAnswer } from './answer.ts'
import { describe, misfit, type Problem, problem } from './mapping-problem.ts'
import { readClass } from './read-class.ts'
import { resolvePointer } from './resolve-pointer.ts'

/** A response that answers several rows at once, in their order. */
export interface RowsReading {
  kind: 'rows'
  rows: ClassAnswer[]
}

type Side = Omit<ClassificationMapping, Leg>

/** A response with more of them is unmapped. */
const rowsMax = 10_000

/** Each row as `readClass` reads it, with its index in the place of the pointers' `*`. */
export function readRows(
  side: Side,
  leg: Leg,
  document: unknown,
  known: ReadonlySet<string> | null,
): RowsReading | Problem {
  const count = countRows(side, document)
  if (typeof count === 'object') return count
  const rows: ClassAnswer[] = []
  for (let row = 0; row < count; row++) {
    const read = readClass(atRow(side, row), leg, document, known)
    if (read.kind === 'problem') return read
    rows.push(read)
  }
  return { kind: 'rows', rows }
}

/** As many rows as the list has that stands before the `*`; of scores and labels alike. */
function countRows({ scores, label }: Side, document: unknown): number | Problem {
  let count: number | undefined
  for (const pointer of [scores, label]) {
    if (pointer === undefined) continue
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
