import { parseExactly } from '../../../vocabulary/json/parse-exactly.ts'
import { type Problem, problem } from './mapping-problem.ts'

export interface BodyDocument {
  kind: 'document'
  document: unknown
}

/** What an integer beyond 2⁵³ becomes, by its digits; without this, a rounded number. */
export type KeepDigits = (digits: string) => unknown

export function parseJson(text: string, keep?: KeepDigits): BodyDocument | Problem {
  try {
    return { kind: 'document', document: keep === undefined ? JSON.parse(text) : parseExactly(text, keep) }
  } catch {
    return text === ''
      ? problem('empty', '', 'JSON', 'an empty body')
      : problem(
          'format',
          '',
          'JSON',
          `${text.length} characters that are none${hasNaN(text) ? ': JSON has no NaN and no Infinity' : ''}`,
        )
  }
}

/** Python's `json` writes these numbers, which are no JSON. */
const hasNaN = (text: string) => /^[[{].*[[:,]\s*-?(?:NaN|Infinity)\s*[\]},]/s.test(text)
