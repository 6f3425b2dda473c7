import type { TextMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { atRow } from '../../../vocabulary/mapping/row-pointers.ts'
import { misfit, type Problem, problem } from './mapping-problem.ts'
import { readEachRow } from './read-each-row.ts'
import { textOfStream } from './read-stream.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { unwrapSingles } from './unwrap-singles.ts'

/** The texts of one or several rows. */
export interface TextsReading {
  kind: 'texts'
  texts: string[]
}

/** Limit on all rows' texts together, in UTF-16 units, since the time of a comparison grows with their length. */
const textLengthMax = 262_144

export function readTexts(
  side: Pick<TextMapping, 'text' | 'whole' | 'protocol'>,
  document: unknown,
): TextsReading | Problem {
  const pointer = side.text ?? ''
  const texts = readEachRow([pointer], document, (row) => {
    const path = atRow(pointer, row)
    if (side.protocol === 'stream') return textOfStream(document as unknown[], path, side.whole)
    const found = resolvePointer(document, path)
    const text = side.protocol === 'oip' ? unwrapSingles(found) : found
    if (typeof text === 'string') return text
    return misfit(
      document,
      path,
      text,
      `a text${Array.isArray(text) ? `, or ${path}/* for those of several rows` : ''}`,
    )
  })
  if ('kind' in texts) return texts
  const length = lengthOf(texts)
  return length <= textLengthMax
    ? { kind: 'texts', texts }
    : problem(
        'tooLarge',
        pointer,
        texts.length === 1 ? `a text of ${atMost}` : `texts of ${atMost} together`,
        `${length}`,
      )
}

const atMost = `at most ${textLengthMax} characters`

/** Total length in UTF-16 units. */
export const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)
