import type { Leg } from '../../vocabulary/leg.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { OutputMapping } from '../../vocabulary/output-mapping.ts'
import type { Answer } from './answer.ts'
import { type Apart, compareReadings } from './compare-readings.ts'
import { disagreementOf } from './disagreement.ts'
import type { MappingProblem, Problem } from './mapping-problem.ts'
import { answerOf, type Reading, readAnswer } from './read-answer.ts'

/** What one observation says about its two sides. `problem` says where a mapping found no answer, as an example. */
export type Comparison =
  /** The scores of both sides stand in the order of the primary's labels. `apart` is `null` of values and classes. */
  | { kind: 'compared'; primary: Answer; candidate: Answer; disagreement: number; apart: Apart | null }
  /**
   * The primary is fine; the candidate gave no usable answer: an outcome word, `status`, `unmapped`, or of embeddings
   * `zeroVector` or `dimensions`.
   */
  | { kind: 'failed'; reason: string; primary: Answer; problem?: MappingProblem }
  /**
   * No usable answer of the primary to compare with (an outcome word, `primaryStatus`, `unmapped` or `zeroVector`), or
   * the candidate was kept from answering by us (`shed`, `aborted`).
   */
  | { kind: 'skipped'; reason: string; primary: Answer | null; candidate: Answer | null; problem?: MappingProblem }

export function compareObservation(mapping: OutputMapping, observation: Observation): Comparison {
  const primary = readSide(mapping, 'primary', observation.primary)
  const candidate = readSide(mapping, 'candidate', observation.candidate)
  if (primary.reading === null) {
    const reason = primary.reason === 'status' ? 'primaryStatus' : primary.reason
    const ofCandidate = candidate.reading && answerOf(candidate.reading)
    return { kind: 'skipped', reason, primary: null, candidate: ofCandidate, ...problemOf(primary, 'primary') }
  }
  const ofPrimary = answerOf(primary.reading)
  if (candidate.reading === null) {
    const { reason } = candidate
    if (isOurDoing(observation.candidate)) return { kind: 'skipped', reason, primary: ofPrimary, candidate: null }
    return { kind: 'failed', reason, primary: ofPrimary, ...problemOf(candidate, 'candidate') }
  }
  const pair = compareReadings(mapping, primary.reading, candidate.reading)
  if (pair.kind === 'problem') {
    const problem = pair
    return { kind: 'failed', reason: reasonOf(problem), primary: ofPrimary, ...problemOf({ problem }, 'candidate') }
  }
  return {
    kind: 'compared',
    primary: answerOf(pair.primary),
    candidate: answerOf(pair.candidate),
    disagreement: disagreementOf(mapping, pair),
    apart: pair.apart,
  }
}

type Side = { reading: Reading } | { reading: null; reason: string; problem?: Problem }

function readSide(mapping: OutputMapping, leg: Leg, outcome: Outcome): Side {
  if (outcome.kind !== 'answered') return { reading: null, reason: outcome.kind }
  if (outcome.status >= 400) return { reading: null, reason: 'status' }
  const reading = readAnswer(mapping, leg, outcome)
  return reading.kind === 'problem' ? { reading: null, reason: reasonOf(reading), problem: reading } : { reading }
}

/** An answer that was found and has no angle to another is no fault of the mapping. */
function reasonOf({ code }: Problem): string {
  return code === 'zeroVector' || code === 'dimensions' ? code : 'unmapped'
}

function problemOf({ problem }: { problem?: Problem }, leg: Leg): { problem?: MappingProblem } {
  if (problem === undefined) return {}
  const { code, path, expected, found } = problem
  return { problem: { leg, code, path, expected, found } }
}

/** Neither says anything about the candidate: `shed` is our limit, `aborted` our client or our shutdown. */
export function isOurDoing(outcome: Outcome): boolean {
  return outcome.kind === 'shed' || outcome.kind === 'aborted'
}
