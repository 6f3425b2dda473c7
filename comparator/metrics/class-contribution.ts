import type { ClassificationMapping } from '../../vocabulary/output-mapping.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import type { ClassPair } from '../compare/align-scores.ts'
import { topScore } from '../compare/answer.ts'
import { absoluteError } from '../compare/differences.ts'
import { jensenShannon } from '../statistics/jensen-shannon.ts'
import { addValue, type Contribution } from './add-value.ts'
import { foldCell } from './fold-cell.ts'
import { confusionMeasure, freeConfusionMeasure } from './measures.ts'
import { greatestHash, NameSample, otherName } from './name-sample.ts'
import { topKOverlap } from './top-k-overlap.ts'

/**
 * What the rows of one exchange add, most often one: means over them, and of each its cell of the confusion matrix and
 * its top scores.
 */
export function addClasses(into: Contribution, policy: Policy, pairs: readonly ClassPair[]): void {
  const { output } = policy
  if (output.kind !== 'classification') return
  addMean(
    into,
    'agreement',
    pairs.map(({ primary, candidate }) => (primary.label === candidate.label ? 1 : 0)),
  )
  for (const { primary, candidate } of pairs) {
    into.sums.push(confusionOf(policy, output, primary.label, candidate.label))
  }
  addScores(into, output.topK, pairs)
}

function addScores(into: Contribution, topK: number, pairs: readonly ClassPair[]): void {
  const scored = pairs.flatMap(({ primary, candidate }) =>
    primary.scores === null || candidate.scores === null ? [] : [{ p: primary.scores, c: candidate.scores }],
  )
  addMean(
    into,
    'topKOverlap',
    scored.map(({ p, c }) => topKOverlap(p, c, topK)),
  )
  addMean(
    into,
    'scoreMae',
    scored.map(({ p, c }) => absoluteError(p, c)),
  )
  const divergences = scored.map(({ p, c }) => jensenShannon(p, c))
  addMean(
    into,
    'jsDivergence',
    divergences.filter((divergence) => divergence !== null),
  )
  for (const { p, c } of scored) {
    addValue(into, 'output.primary', topScore(p))
    addValue(into, 'output.candidate', topScore(c))
  }
}

/** Of no values there is no mean. */
function addMean(into: Contribution, measure: string, values: readonly number[]): void {
  if (values.length > 0) into.sums.push([measure, values.reduce((sum, value) => sum + value, 0) / values.length])
}

const labelsByPolicy = new WeakMap<Policy, NameSample>()

/** One cell of the confusion matrix: of declared labels as they are, of any others bounded. */
function confusionOf(
  policy: Policy,
  output: ClassificationMapping,
  primary: string,
  candidate: string,
): [measure: string, value: number] {
  if ((output.primary?.labels ?? output.labels) !== undefined) return [confusionMeasure(primary, candidate), 1]
  const sample = NameSample.of(labelsByPolicy, policy)
  const [p, c] = [sample.givenUpAbove(primary), sample.givenUpAbove(candidate)]
  const cell = foldCell(primary, candidate, (label) => (label === primary ? p : c) === null)
  const above = Math.min(p ?? greatestHash, c ?? greatestHash)
  return [freeConfusionMeasure(...cell), cell.includes(otherName) ? above : 1]
}
