import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { findProblems } from '../../../runtime/config/find-problems.ts'
import { leaveOutNulls } from '../../../vocabulary/json/leave-out-nulls.ts'

/** A parser of single items of a bundle: returns the item, or where it is wrong and what was expected. */
export function itemParser<Schema extends TSchema>(
  schema: Schema,
  noun: string,
): (raw: unknown) => { item: Static<Schema> } | { problem: string } {
  const compiled = Compile(schema)
  return (raw) => {
    if (compiled.Check(raw)) return { item: raw as Static<Schema> }
    const item = leaveOutNulls(raw)
    if (compiled.Check(item)) return { item: item as Static<Schema> }
    const [problem] = findProblems(schema, item, '')
    const where = problem?.path.replace(/^\./, '') || `the ${noun}`
    return { problem: `${where}: expected ${problem?.expected ?? `a ${noun}`}` }
  }
}
