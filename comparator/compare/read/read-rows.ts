import type { Leg } from '../../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { atRow } from '../../../vocabulary/mapping/row-pointers.ts'
import { type ClassAnswer, elementsMax } from '../answer.ts'
import { countRows } from './count-rows.ts'
import { type Problem, problem } from './mapping-problem.ts'
import { readClass } from './read-class.ts'

/** A response that answers several rows at once, in order. */
export interface RowsReading {
  kind: 'rows'
  rows: ClassAnswer[]
}

type Side = Omit<ClassificationMapping, Leg>

/** Reads each row by `readClass`, with the row's index in place of the pointers' `*`. */
export function readRows(
  side: Side,
  leg: Leg,
  document: unknown,
  known: ReadonlySet<string> | null,
): RowsReading | Problem {
  const pointers = [side.scores, side.classes, side.label].filter((pointer) => pointer !== undefined)
  const count = countRows(pointers, document)
  if (typeof count === 'object') return count
  const rows: ClassAnswer[] = []
  let numbers = 0
  for (let row = 0; row < count; row++) {
    const at = (pointer: string | undefined) => pointer && atRow(pointer, row)
    const of = { ...side, scores: at(side.scores), classes: at(side.classes), label: at(side.label) }
    const read = readClass(of, leg, document, known)
    if (read.kind === 'problem') return read
    numbers += read.scores?.length ?? 0
    if (numbers > elementsMax) return problem('tooLarge', pointers[0]!, `at most ${elementsMax} scores`, 'more')
    rows.push(read)
  }
  return { kind: 'rows', rows }
}
