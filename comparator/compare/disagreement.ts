import type { Leg } from '../../vocabulary/leg.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { scoreMinOf } from '../../vocabulary/mapping/score-min.ts'
import type { ClassPair } from './align-scores.ts'
import { withZeros } from './answer.ts'
import type { Pair } from './compare-readings.ts'
import { absoluteError } from './differences.ts'
import { compareGiven } from './given-labels.ts'

/**
 * How far apart two compared answers are, for sorting the worst first; ≥ 0, on one scale within a kind of output.
 *
 * Values: mean |c−p|. Classes: 1 if the labels differ, plus m/(1+m) < 1, where m is the scores' mean |c−p|, so that a
 * different label always ranks higher. Where an answer may give several labels, that 1 is replaced by 1 − their F1.
 * Several rows of classes: the mean over rows, with a single m/(1+m) for all of them.
 *
 * Embeddings: 1 − cosine, in [0, 2]. Boxes: 1 − panoptic quality, texts: 1 − edit similarity, documents: the share of
 * differing fields, all in [0, 1]. For several rows of embeddings, boxes or texts, the mean over rows.
 */
export function disagreementOf(mapping: OutputMapping, { primary, candidate, differences }: Pair): number {
  switch (differences?.kind) {
    case 'rows':
      return rowsDisagreement(mapping, differences.pairs)
    case 'embedding':
      return 1 - differences.cosine
    case 'detection':
      return 1 - differences.quality
    case 'text':
      return 1 - differences.editSimilarity
    case 'json':
      return differences.fields === 0 ? 0 : 1 - differences.equal / differences.fields
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
