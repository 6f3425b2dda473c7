import type { EmbeddingMapping } from '../../vocabulary/output-mapping.ts'
import { type Problem, problem } from './mapping-problem.ts'
import { readNumbers } from './read-value.ts'

/** An embedding: of length other than 0, so that it has a direction. */
export interface VectorReading {
  kind: 'vector'
  vector: number[]
}

export function readVector(side: Pick<EmbeddingMapping, 'vector'>, document: unknown): VectorReading | Problem {
  const path = side.vector!
  const vector = readNumbers(document, path)
  if ('kind' in vector) return vector
  return vector.some((element) => element !== 0)
    ? { kind: 'vector', vector }
    : problem('zeroVector', path, 'a vector with a direction', `${vector.length} zeros`)
}
