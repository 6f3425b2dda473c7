import type { ClassificationMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { scoreMinOf } from '../../../vocabulary/mapping/score-min.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import type { ClassPair } from '../../compare/align-scores.ts'
import { topScore, withZeros } from '../../compare/answer.ts'
import { absoluteError } from '../../compare/differences.ts'
import { compareGiven } from '../../compare/given-labels.ts'
import { jensenShannon } from '../../statistics/jensen-shannon.ts'
import { confusionMeasure, freeConfusionMeasure, rowsMeasure } from '../measures.ts'
import { foldCell, greatestHash, NameSample, otherName } from '../name-sample.ts'
import { addValue, type Contribution } from './contribution.ts'
import { topKOverlap } from './top-k-overlap.ts'

/**
 * Adds the rows of one exchange, usually just one: the means over them, and each row's cell of the confusion matrix and
 * top scores.
 */
export function addClasses(into: Contribution, policy: Policy, pairs: readonly ClassPair[]): void {
  const { output } = policy
  if (output.kind !== 'classification') return
  const agreement = new Mean()
  const overlap = new Mean()
  const error = new Mean()
  const divergence = new Mean()
  const givenF1 = new Mean()
  const givenEqual = new Mean()
  const scoreMin = scoreMinOf(output)
  for (const { primary, candidate } of pairs) {
    agreement.add(primary.label === candidate.label ? 1 : 0)
    into.sums.push(confusionOf(policy, output, primary.label, candidate.label))
    if (primary.scores === null || candidate.scores === null) continue
    overlap.add(topKOverlap(primary.scores, candidate.scores, output.topK))
    const [p, c] = [withZeros(primary.scores), withZeros(candidate.scores)]
    error.add(absoluteError(p, c))
    divergence.add(jensenShannon(p, c))
    if (scoreMin !== null) {
      const { f1, equal } = compareGiven(primary.scores, candidate.scores, scoreMin)
      givenF1.add(f1)
      givenEqual.add(equal)
    }
    addValue(into, 'output.primary', topScore(primary.scores))
    addValue(into, 'output.candidate', topScore(candidate.scores))
  }
  if (pairs.length !== 1) into.sums.push([rowsMeasure, pairs.length])
  agreement.addTo(into, 'agreement')
  overlap.addTo(into, 'topKOverlap')
  error.addTo(into, 'scoreMae')
  divergence.addTo(into, 'jsDivergence')
  givenF1.addTo(into, 'labelF1')
  givenEqual.addTo(into, 'labelsEqual')
}

/** The mean over rows that have a value; nothing is added if none has. */
class Mean {
  #sum = 0
  #count = 0

  add(value: number | null): void {
    if (value === null) return
    this.#sum += value
    this.#count++
  }

  addTo(into: Contribution, measure: string): void {
    if (this.#count > 0) into.sums.push([measure, this.#sum / this.#count])
  }
}

const labelsByPolicy = new WeakMap<Policy, NameSample>()

/** One cell of the confusion matrix. Labels that are not declared are bounded in number. */
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
