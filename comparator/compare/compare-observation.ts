import type { Leg } from '../../vocabulary/leg.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { Answer } from './answer.ts'
import { type AnswerDifferences, compareReadings } from './compare-readings.ts'
import { disagreementOf } from './disagreement.ts'
import type { MappingProblem, Problem } from './read/mapping-problem.ts'
import { answerOf, type Reading, readAnswer } from './read/read-answer.ts'

/** The comparison of one observation's two sides. `problem` says where a mapping found no answer. */
export type Comparison =
  /** Both sides' scores are in the order of the primary's labels. `differences` is `null` for values and classes. */
  | {
      kind: 'compared'
      primary: Answer
      candidate: Answer
      disagreement: number
      differences: AnswerDifferences | null
    }
  /**
   * The primary's answer is usable but not the candidate's. `reason`: the kind of its outcome, `status`, `unmapped`, or
   * for embeddings `zeroVector` or `dimensions`.
   */
  | { kind: 'failed'; reason: string; primary: Answer; problem?: MappingProblem }
  /**
   * The primary has no usable answer (`reason`: the kind of its outcome, `primaryStatus`, `unmapped` or `zeroVector`),
   * or we kept the candidate from answering (`shed`, `aborted`).
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
    differences: pair.differences,
  }
}

type Side = { reading: Reading } | { reading: null; reason: string; problem?: Problem }

function readSide(mapping: OutputMapping, leg: Leg, outcome: Outcome): Side {
  if (outcome.kind !== 'answered') return { reading: null, reason: outcome.kind }
  if (outcome.status >= 400) return { reading: null, reason: 'status' }
  const reading = readAnswer(mapping, leg, outcome)
  return reading.kind === 'problem' ? { reading: null, reason: reasonOf(reading), problem: reading } : { reading }
}

/** Vectors that were found but have no angle to each other are not the mapping's fault. */
function reasonOf({ code }: Problem): string {
  return code === 'zeroVector' || code === 'dimensions' ? code : 'unmapped'
}

function problemOf({ problem }: { problem?: Problem }, leg: Leg): { problem?: MappingProblem } {
  if (problem === undefined) return {}
  const { code, path, expected, found } = problem
  return { problem: { leg, code, path, expected, found } }
}

/** `shed` is our limit and `aborted` our client or our shutdown, so neither says anything about the candidate. */
export function isOurDoing(outcome: Outcome): boolean {
  return outcome.kind === 'shed' || outcome.kind === 'aborted'
}
