import type { Leg } from '../../vocabulary/leg.ts'
import type { OutputMapping } from '../../vocabulary/output-mapping.ts'
import { scoreMinOf } from '../../vocabulary/score-min.ts'
import type { ClassPair } from './align-scores.ts'
import { withZeros } from './answer.ts'
import type { Pair } from './compare-readings.ts'
import { absoluteError } from './differences.ts'
import { compareGiven } from './given-labels.ts'

/**
 * How far apart two comparable answers are, for ordering the worst first; ≥ 0, on one scale within a kind of output.
 * Values: mean |c−p|. Classes: 1 where the labels differ, plus m/(1+m) < 1 with m the scores' mean |c−p|, so that a
 * different label always ranks above; where one answer may give several labels, 1 − their F1 in the place of that 1. Of
 * several rows the mean of that, with one m/(1+m) of them all.
 * Embeddings: 1 − cosine, in [0, 2], of several rows the mean. In [0, 1]: boxes 1 − panoptic quality, texts 1 − edit
 * similarity, documents the share of their fields that differ.
 */
export function disagreementOf(mapping: OutputMapping, { primary, candidate, apart }: Pair): number {
  switch (apart?.kind) {
    case 'rows':
      return rowsDisagreement(mapping, apart.pairs)
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
  return rowsDisagreement(mapping, [{ primary, candidate }])
}

export function rowsDisagreement(mapping: OutputMapping, pairs: readonly ClassPair[]): number {
  const scoreMin = mapping.kind === 'classification' ? scoreMinOf(mapping) : null
  let differing = 0
  let distance = 0
  for (const pair of pairs) {
    differing += labelsApart(pair, scoreMin)
    const { primary, candidate } = pair
    if (primary.scores === null || candidate.scores === null) continue
    distance += absoluteError(withZeros(primary.scores), withZeros(candidate.scores)) / pairs.length
  }
  return (differing + distance / (1 + distance)) / pairs.length
}

function labelsApart({ primary, candidate }: ClassPair, scoreMin: Record<Leg, number> | null): number {
  if (scoreMin === null || primary.scores === null || candidate.scores === null) {
    return primary.label === candidate.label ? 0 : 1
  }
  return 1 - compareGiven(primary.scores, candidate.scores, scoreMin).f1
}
