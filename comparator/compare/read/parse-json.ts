import { type Problem, problem } from './mapping-problem.ts'

export interface BodyDocument {
  kind: 'document'
  document: unknown
}

export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): BodyDocument | Problem {
  try {
    return { kind: 'document', document: parse(text) }
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
