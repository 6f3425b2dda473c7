import type { ClassPair } from './align-scores.ts'
import type { Pair } from './compare-readings.ts'
import { absoluteError } from './differences.ts'

/**
 * How far apart two comparable answers are, for ordering the worst first; ≥ 0, on one scale within a kind of output.
 * Values: mean |c−p|. Classes: 1 where the labels differ, plus m/(1+m) < 1 with m the scores' mean |c−p|, so that a
 * different label always ranks above. Of several rows: as many as have another label, plus m/(1+m), divided by all.
 * Embeddings: 1 − cosine, in [0, 2], of several rows the mean. In [0, 1]: boxes 1 − panoptic quality, texts 1 − edit
 * similarity, documents the share of their fields that differ.
 */
export function disagreementOf({ primary, candidate, apart }: Pair): number {
  switch (apart?.kind) {
    case 'rows':
      return rowsDisagreement(apart.pairs)
    case 'embedding':
      return 1 - apart.cosine
    case 'detection':
      return 1 - apart.quality
    case 'text':
      return 1 - apart.editSimilarity
    case 'json':
      return apart.fields === 0 ? 0 : 1 - apart.equal / apart.fields
  }
  if (primary.kind === 'value' && candidate.kind === 'value') return absoluteError(primary.value, candidate.value)
  if (primary.kind !== 'class' || candidate.kind !== 'class') return Number.MAX_VALUE
  return rowsDisagreement([{ primary, candidate }])
}

export function rowsDisagreement(pairs: readonly ClassPair[]): number {
  let differing = 0
  let distance = 0
  for (const { primary, candidate } of pairs) {
    if (primary.label !== candidate.label) differing++
    if (primary.scores === null || candidate.scores === null) continue
    distance += absoluteError(primary.scores, candidate.scores) / pairs.length
  }
  return (differing + distance / (1 + distance)) / pairs.length
}
