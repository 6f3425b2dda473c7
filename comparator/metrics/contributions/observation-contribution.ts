import { type Leg, legs } from '../../../vocabulary/leg.ts'
import { sideOf } from '../../../vocabulary/mapping/mapping-side.ts'
import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { scoreMinOf } from '../../../vocabulary/mapping/score-min.ts'
import { outputPrefix } from '../../../vocabulary/metric-path.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import type { Outcome } from '../../../vocabulary/outcome.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { sizeClassOf } from '../../../vocabulary/size-class.ts'
import { magnitudeMax } from '../../compare/answer.ts'
import { type Comparison, isOurDoing } from '../../compare/compare-observation.ts'
import type { OutputComparisons } from '../../compare/compare-outputs.ts'
import { differencesOf } from '../../compare/differences.ts'
import { quantileLimitsOf } from '../catalogue/quantile-limits.ts'
import { exchangeMeasure, failedMeasure, skippedMeasure, statusMeasure, unmappedMeasure } from '../measures.ts'
import { policyOfOutput } from '../policy-of-output.ts'
import { addClasses } from './class-contribution.ts'
import { addValue, type Contribution } from './contribution.ts'
import { addDifferences } from './difference-contribution.ts'

/** What one observation adds to the rollups. */
export function contributionOf(
  policy: Policy,
  observation: Observation,
  comparison: Comparison,
  ofOutputs: OutputComparisons = {},
): Contribution {
  const into: Contribution = { sums: [], bins: [] }
  addExchange(into, observation, comparison)
  addErrors(into, observation, [comparison, ...Object.values(ofOutputs)])
  addLatencies(into, observation)
  addComparison(into, policy, comparison)
  for (const [name, own] of Object.entries(ofOutputs)) addOutput(into, policy, name, own)
  addBeyondLimits(into, policy)
  return into
}

function addComparison(into: Contribution, policy: Policy, comparison: Comparison): void {
  if (comparison.kind === 'compared') addAnswers(into, policy, comparison)
  if (comparison.kind === 'failed') addMismatch(into, policy)
}

/** Adds a further output under its own prefix: how it differs, or why it could not be compared. */
function addOutput(into: Contribution, policy: Policy, name: string, comparison: Comparison): void {
  const own: Contribution = { sums: [], bins: [] }
  addReason(own, comparison)
  addComparison(own, policyOfOutput(policy, name), comparison)
  const prefix = outputPrefix(name)
  for (const [measure, ...values] of own.sums) into.sums.push([prefix + measure, ...values])
  for (const [measure, value] of own.bins) into.bins.push([prefix + measure, value])
}

function addExchange(into: Contribution, observation: Observation, comparison: Comparison): void {
  const compared = comparison.kind === 'skipped' ? 0 : 1
  into.sums.push([exchangeMeasure(sizeClassOf(bodyBytesOf(observation.request))), compared])
  addReason(into, comparison)
  addStatus(into, observation, comparison)
}

/** Adds the status that is the comparison's reason: a 404 asks for another remedy than a 503. */
function addStatus(into: Contribution, observation: Observation, comparison: Comparison): void {
  if (comparison.kind === 'compared') return
  const leg = { status: 'candidate', primaryStatus: 'primary' }[comparison.reason] as Leg | undefined
  const outcome = leg && observation[leg]
  if (outcome?.kind === 'answered') into.sums.push([statusMeasure(leg!, outcome.status), 1])
}

function addReason(into: Contribution, comparison: Comparison): void {
  if (comparison.kind === 'compared') return
  into.sums.push([(comparison.kind === 'skipped' ? skippedMeasure : failedMeasure)(comparison.reason), 1])
  const { problem } = comparison
  if (problem !== undefined) into.sums.push([unmappedMeasure(problem.leg, problem.code), 1])
}

export function bodyBytesOf({ bodyBytes, body, bodyEncoding }: Observation['request']): number {
  if (bodyBytes !== undefined) return bodyBytes
  return body === undefined ? 0 : Buffer.byteLength(body, bodyEncoding === 'base64' ? 'base64' : 'utf8')
}

/** Counts errors in exchanges where both sides had their chance to answer: answers that lack one or more outputs. */
function addErrors(into: Contribution, { primary, candidate }: Observation, comparisons: Comparison[]): void {
  if (isOurDoing(candidate) || isOurDoing(primary) || primary.kind === 'tooLarge') return
  const lacksPrimary = (of: Comparison) => of.kind === 'skipped' && of.primary === null
  const lacksCandidate = (of: Comparison) => of.kind === 'failed' || (of.kind === 'skipped' && of.candidate === null)
  const primaryError = comparisons.some(lacksPrimary) ? 1 : 0
  const candidateError = comparisons.some(lacksCandidate) ? 1 : 0
  into.sums.push(['errorRate.primary', primaryError], ['errorRate.candidate', candidateError])
  into.sums.push(['errorRate.delta', candidateError - primaryError])
}

/**
 * Adds latencies of pairs in which the primary succeeded and the candidate did too, or timed out: its answer would have
 * taken at least the time waited. Other failures are quick, and would make the candidate look fast.
 */
function addLatencies(into: Contribution, { primary, candidate }: Observation): void {
  if (!isSuccess(primary) || !(isSuccess(candidate) || candidate.kind === 'timedOut')) return
  if (Math.max(primary.totalMs, candidate.totalMs) > magnitudeMax) return
  const delta = candidate.totalMs - primary.totalMs
  addValue(into, 'latency.primary', primary.totalMs)
  addValue(into, 'latency.candidate', candidate.totalMs)
  addValue(into, 'latency.delta', delta)
  into.sums.push(['latency.slower', delta > 0 ? 1 : 0])
  addQueueTime(into, candidate.queuedMs ?? primary.queuedMs)
}

/** Adds the queue time of the shadow leg; the live leg does not wait in our queue. */
function addQueueTime(into: Contribution, queuedMs: number | undefined): void {
  if (queuedMs !== undefined && queuedMs <= magnitudeMax) addValue(into, 'latency.queue', queuedMs)
}

function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status < 400
}

function addAnswers(into: Contribution, policy: Policy, comparison: Extract<Comparison, { kind: 'compared' }>): void {
  const { primary, candidate, differences } = comparison
  if (differences !== null) addDifferences(into, policy, differences)
  else if (primary.kind === 'value' && candidate.kind === 'value') addValues(into, primary.value, candidate.value)
  else if (primary.kind === 'class' && candidate.kind === 'class') addClasses(into, policy, [{ primary, candidate }])
}

function addValues(into: Contribution, primary: number | number[], candidate: number | number[]): void {
  const differences = differencesOf(primary, candidate)
  addValue(into, 'absError', differences.absolute)
  into.sums.push(['bias', differences.signed], ['squaredError', differences.squared])
  into.sums.push(['maxAbsError', differences.maximum])
  into.sums.push(['primarySquare', differences.primarySquare], ['candidateSquare', differences.candidateSquare])
  addValue(into, 'output.primary', differences.primary)
  addValue(into, 'output.candidate', differences.candidate)
}

const mismatches: Record<Exclude<OutputKind, 'classification'>, string[]> = {
  regression: [],
  embedding: [],
  detection: ['f1', 'precision', 'recall'],
  text: ['exactMatch', 'normalisedMatch', 'editSimilarity', 'tokenF1'],
  json: ['documentsEqual', 'fieldsEqual'],
}

/** The measures in which a failed candidate counts as a complete mismatch. Distances have no value for a failure. */
export function mismatchesOf(output: OutputMapping): string[] {
  if (output.kind !== 'classification') return mismatches[output.kind]
  const areScored = legs.every((leg) => sideOf(output, leg).scores !== undefined)
  const areGiven = scoreMinOf(output) !== null
  return ['agreement', ...(areScored ? ['topKOverlap'] : []), ...(areGiven ? ['labelF1', 'labelsEqual'] : [])]
}

const withQuantiles = ['f1', 'editSimilarity', 'fieldsEqual']

/** Adds a candidate's failure as a mismatch. It has no distance, which is why a gate also checks the error rate. */
function addMismatch(into: Contribution, { output }: Policy): void {
  for (const measure of mismatchesOf(output)) {
    if (withQuantiles.includes(measure)) addValue(into, measure, 0)
    else into.sums.push([measure, 0])
  }
}

function addBeyondLimits(into: Contribution, policy: Policy): void {
  for (const { quantile, side, limit, measure } of quantileLimitsOf(policy)) {
    for (const [name, value] of into.bins) {
      if (name !== quantile.values) continue
      into.sums.push([measure, (side === 'over' ? value > limit : value < limit) ? 1 : 0])
    }
  }
}
