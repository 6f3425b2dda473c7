/** How two embeddings differ; for several rows the means. */
export interface VectorDifferences {
  kind: 'embedding'
  /** In [−1, 1]. */
  cosine: number
  /** Euclidean lengths. */
  primaryNorm: number
  candidateNorm: number
}

/** a·b / (|a|·|b|) of two non-zero vectors of equal length, scaled so that no square over- or underflows. */
export function compareVectors(primary: number[], candidate: number[]): VectorDifferences {
  const ofPrimary = greatestMagnitude(primary)
  const ofCandidate = greatestMagnitude(candidate)
  let dot = 0
  let squareOfPrimary = 0
  let squareOfCandidate = 0
  for (let i = 0; i < primary.length; i++) {
    const p = primary[i]! / ofPrimary
    const c = candidate[i]! / ofCandidate
    dot += p * c
    squareOfPrimary += p * p
    squareOfCandidate += c * c
  }
  const cosine = dot / Math.sqrt(squareOfPrimary * squareOfCandidate)
  return {
    kind: 'embedding',
    cosine: Math.min(1, Math.max(-1, cosine)),
    primaryNorm: ofPrimary * Math.sqrt(squareOfPrimary),
    candidateNorm: ofCandidate * Math.sqrt(squareOfCandidate),
  }
}

function greatestMagnitude(vector: number[]): number {
  let greatest = 0
  for (const element of vector) greatest = Math.max(greatest, Math.abs(element))
  return greatest
}
