import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Answered } from '../../vocabulary/outcome.ts'
import { type Comparison, compareObservation } from './compare-observation.ts'

/** Compares two bodies as one observation. */
export function compareBodies(mapping: OutputMapping, primary: unknown, candidate: unknown): Comparison {
  return compareOutcomes(mapping, answeredWith(primary), answeredWith(candidate))
}

export function compareOutcomes(mapping: OutputMapping, primary: Answered, candidate: Answered): Comparison {
  const observation: Observation = {
    id: '01930000-0000-7000-8000-000000000000',
    validation: 'v',
    at: '2026-11-21T08:00:00.000Z',
    request: { method: 'POST', path: '/' },
    primary,
    candidate,
  }
  return compareObservation(mapping, observation)
}

export function answeredWith(body: unknown, more: Partial<Answered> = {}): Answered {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { kind: 'answered', status: 200, totalMs: 1, body: text, ...more }
}

/** How two compared answers differ; throws if they were not compared. */
export function differencesIn(comparison: Comparison) {
  if (comparison.kind !== 'compared') throw new Error(JSON.stringify(comparison))
  return comparison.differences
}

export function problemOf(comparison: Comparison) {
  return comparison.kind === 'compared' ? undefined : comparison.problem
}
