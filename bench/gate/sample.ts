import { randomUUIDv7 } from 'node:crypto'
import { compareObservation } from '../../comparator/compare/compare-observation.ts'
import type { Contribution } from '../../comparator/metrics/contributions/contribution.ts'
import { contributionOf } from '../../comparator/metrics/contributions/observation-contribution.ts'
import { type SliceValues, sliceValuesOf } from '../../comparator/metrics/contributions/slice-values.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { type Kind, labels } from './plan.ts'

/** What one observation adds to the rollups, and its slices. */
export interface Sampled {
  contribution: Contribution
  values: SliceValues
}

/** `count` different observations, compared by the comparator's own code. */
export function sampleOf(policy: Policy, count: number): Sampled[] {
  return Array.from({ length: count }, () => {
    const observation = policy.output.kind === 'classification' ? classified() : valued()
    const comparison = compareObservation(policy.output, observation)
    return {
      contribution: contributionOf(policy, observation, comparison),
      values: sliceValuesOf(policy, observation, comparison),
    }
  })
}

function classified(): Observation {
  const top = Math.floor(Math.random() * labels.length)
  const seen = Math.random() < 0.98 ? top : Math.floor(Math.random() * labels.length)
  return observe({ scores: scores(top) }, { scores: scores(seen) })
}

function valued(): Observation {
  const value = 100 + 20 * normal()
  return observe({ value }, { value: value + 0.5 * normal() })
}

const scores = (top: number) => labels.map((_, i) => (i === top ? 0.6 + 0.35 * Math.random() : 0.04 * Math.random()))

/** Standard normal, by the Box–Muller method. */
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())

/** An observation of this validation as a mirror would deliver it now. */
export const observationOf = (kind: Kind, validation: string): Observation => ({
  ...(kind === 'classification' ? classified() : valued()),
  validation,
})

function observe(primary: unknown, candidate: unknown): Observation {
  const failed = Math.random() < 0.002
  return {
    id: randomUUIDv7(),
    validation: 'bench',
    at: new Date().toISOString(),
    request: { method: 'POST', path: '/predict', bodyBytes: Math.floor(20_000 * Math.random() ** 2) },
    primary: answered(primary, 40 * Math.exp(0.4 * normal())),
    candidate: failed ? { kind: 'timedOut', totalMs: 1000 } : answered(candidate, 9 * Math.exp(0.5 * normal())),
  }
}

const answered = (body: unknown, totalMs: number): Outcome => ({
  kind: 'answered',
  status: 200,
  totalMs,
  version: '1',
  body: JSON.stringify(body),
})
