import type { EmbeddingMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { atRow } from '../../../vocabulary/mapping/row-pointers.ts'
import { elementsMax } from '../answer.ts'
import { type Problem, problem } from './mapping-problem.ts'
import { readEachRow } from './read-each-row.ts'
import { readNumbers } from './read-value.ts'

/** The embeddings of one or several rows. None is zero, so that each has a direction. */
export interface VectorsReading {
  kind: 'vectors'
  vectors: number[][]
}

export function readVectors(side: Pick<EmbeddingMapping, 'vector'>, document: unknown): VectorsReading | Problem {
  const pointer = side.vector!
  let elements = 0
  const vectors = readEachRow([pointer], document, (row) => {
    const place = atRow(pointer, row)
    const vector = readNumbers(document, place)
    if ('kind' in vector) return vector
    if (vector.every((element) => element === 0)) {
      return problem('zeroVector', place, 'a vector with a direction', `${vector.length} zeros`)
    }
    elements += vector.length
    return elements <= elementsMax ? vector : problem('tooLarge', pointer, `at most ${elementsMax} numbers`, 'more')
  })
  return 'kind' in vectors ? vectors : { kind: 'vectors', vectors }
}
