import type { TextMapping } from '../../vocabulary/output-mapping.ts'
import { misfit, type Problem, problem } from './mapping-problem.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { unwrapSingles } from './unwrap-singles.ts'

export interface TextReading {
  kind: 'text'
  text: string
}

/** A longer text is unmapped: comparing two takes time by their length. In UTF-16 units. */
export const textLengthMax = 262_144

export function readText(side: Pick<TextMapping, 'text' | 'protocol'>, document: unknown): TextReading | Problem {
  const path = side.text ?? ''
  const found = resolvePointer(document, path)
  const text = side.protocol === 'oip' ? unwrapSingles(found) : found
  if (typeof text !== 'string') return misfit(document, path, text, 'a text')
  return text.length <= textLengthMax
    ? { kind: 'text', text }
    : problem('tooLarge', path, `a text of at most ${textLengthMax} characters`, `one of ${text.length}`)
}
