import { Observation, type Rejection } from '../../../vocabulary/observation.ts'
import { parseInstant } from '../../../vocabulary/parse-instant.ts'
import { dayMs, type EpochMs, type Milliseconds } from '../../../vocabulary/units.ts'
import { timeOfId } from '../../store/observations/day-of-id.ts'
import { futureMax } from '../clock-skew.ts'
import type { KnownValidation } from '../comparator.ts'
import { itemParser } from './parse-item.ts'

/** The time in an id only chooses a partition, so a clock that is off by less does no harm. */
const idFutureMax = dayMs

export interface ParsedObservation {
  observation: Observation
  validation: KnownValidation
  at: EpochMs
}

/** Why an observation is refused: by this parser, or (`TOO_MANY_VERSIONS`) when it is attributed to a window. */
export const observationRefusals = [
  'INVALID_OBSERVATION',
  'UNKNOWN_VALIDATION',
  'TOO_OLD',
  'IN_FUTURE',
  'TOO_MANY_VERSIONS',
] as const
type ObservationRefusal = (typeof observationRefusals)[number]

const readObservation = itemParser(Observation, 'observation')

/** Parses one observation off the wire, or returns why it is refused. */
export function parseObservation(
  raw: unknown,
  index: number,
  validations: ReadonlyMap<string, KnownValidation>,
  limits: { now: EpochMs; retention: Milliseconds },
): ParsedObservation | Rejection {
  const refuse = (code: ObservationRefusal, message: string): Rejection => ({ index, code, message })
  const parsed = readObservation(raw)
  if ('problem' in parsed) return refuse('INVALID_OBSERVATION', parsed.problem)
  const observation = parsed.item
  const { bodyBytes = 0 } = observation.request
  if (bodyBytes > Number.MAX_SAFE_INTEGER) {
    return refuse(
      'INVALID_OBSERVATION',
      `request.bodyBytes: expected at most ${Number.MAX_SAFE_INTEGER}, got ${bodyBytes}`,
    )
  }
  const at = parseInstant(observation.at)
  if (Number.isNaN(at)) return refuse('INVALID_OBSERVATION', `at: expected a time that exists, got ${observation.at}`)
  const validation = validations.get(observation.validation)
  if (!validation) {
    const known = [...validations.keys()].join(', ') || 'none'
    return refuse('UNKNOWN_VALIDATION', `no validation ${observation.validation}; configured: ${known}`)
  }
  if (at < limits.now - limits.retention) {
    return refuse('TOO_OLD', `at: ${observation.at} is older than retention.observations allows`)
  }
  if (at > limits.now + futureMax) return refuse('IN_FUTURE', `at: ${observation.at} is more than 5 minutes ahead`)
  const made = timeOfId(observation.id)
  if (made !== undefined && made < limits.now - limits.retention) {
    return refuse('TOO_OLD', `id: ${observation.id} was made longer ago than retention.observations allows`)
  }
  if (made !== undefined && made > limits.now + idFutureMax) {
    return refuse('IN_FUTURE', `id: ${observation.id} was made more than a day ahead`)
  }
  return { observation: { ...observation, id: observation.id.toLowerCase() }, validation, at }
}
