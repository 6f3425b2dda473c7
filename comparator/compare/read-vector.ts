import type { EmbeddingMapping } from '../../vocabulary/output-mapping.ts'
import { atRow, rowSteps } from '../../vocabulary/row-pointers.ts'
import { elementsMax } from './answer.ts'
import { countRows } from './count-rows.ts'
import { type Problem, problem } from './mapping-problem.ts'
import { readNumbers } from './read-value.ts'

/** Embeddings, of several rows or of one, each of length other than 0, so that it has a direction. */
export interface VectorsReading {
  kind: 'vectors'
  vectors: number[][]
}

export function readVectors(side: Pick<EmbeddingMapping, 'vector'>, document: unknown): VectorsReading | Problem {
  const path = side.vector!
  const rows = rowSteps(path) > 0 ? countRows([path], document) : 1
  if (typeof rows === 'object') return rows
  const vectors: number[][] = []
  let elements = 0
  for (let row = 0; row < rows; row++) {
    const place = atRow(path, row)
    const vector = readNumbers(document, place)
    if ('kind' in vector) return vector
    if (vector.every((element) => element === 0)) {
      return problem('zeroVector', place, 'a vector with a direction', `${vector.length} zeros`)
    }
    elements += vector.length
    if (elements > elementsMax) return problem('tooLarge', path, `at most ${elementsMax} numbers`, 'more')
    vectors.push(vector)
  }
  return { kind: 'vectors', vectors }
}
