import type { Leg } from '../../../vocabulary/leg.ts'
import type { JsonMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { countFields, fieldsMax } from './count-fields.ts'
import { ignoring } from './ignored-paths.ts'
import { describe, misfit, type Problem, problem } from './mapping-problem.ts'
import { resolvePointer } from './resolve-pointer.ts'

export interface JsonReading {
  kind: 'json'
  document: unknown
  fields: number
}

export function readJson(side: Omit<JsonMapping, Leg>, document: unknown): JsonReading | Problem {
  const path = side.document!
  const found = resolvePointer(document, path)
  if (found === undefined) return misfit(document, path, found, 'a document')
  const fields = countFields(found, ignoring(side.ignore))
  return fields <= fieldsMax
    ? { kind: 'json', document: found, fields }
    : problem('tooLarge', path, `a document of at most ${fieldsMax} fields`, describe(found))
}
