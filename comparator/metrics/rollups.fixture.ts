import { randomUUID } from 'node:crypto'
import type { ClassificationMapping, RegressionMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import { compareObservation } from '../compare/compare-observation.ts'
import { accumulate, splitCells } from './contributions/accumulate.ts'
import type { Contribution } from './contributions/contribution.ts'
import { contributionOfLabel, type Truth } from './contributions/label-contribution.ts'
import { contributionOf } from './contributions/observation-contribution.ts'
import { bucketWidth, groupWidth, type RollupRange } from './rollup-range.ts'

export const regression: RegressionMapping = { kind: 'regression', value: '/value' }
export const classification = (labels: string[]): ClassificationMapping => ({
  kind: 'classification',
  scores: '/scores',
  labels,
  topK: 3,
})

type Check = Omit<GateCheck, 'reportOnly'> & { reportOnly?: boolean }

export function policyOf(output: OutputMapping, gate: Check[] = [], window: Partial<Policy['window']> = {}): Policy {
  return {
    output,
    confidence: 0.95,
    window: { duration: 48 * 3600e3, samplesMin: 100, coverageMin: 0.95, ...window },
    gate: gate.map((check) => ({ reportOnly: false, ...check })),
  }
}

export function answered(body: unknown, totalMs = 10, status = 200): Outcome {
  return { kind: 'answered', status, totalMs, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

export function observe(
  primary: Outcome,
  candidate: Outcome,
  request: Partial<Observation['request']> = {},
): Observation {
  return {
    id: randomUUID(),
    validation: 'v',
    at: '2026-11-21T08:00:00.000Z',
    request: { method: 'POST', path: '/predict', bodyBytes: 100, ...request },
    primary,
    candidate,
  }
}

export function contributionsOf(policy: Policy, observation: Observation, truth?: Truth): Contribution[] {
  const comparison = compareObservation(policy.output, observation)
  const contributions = [contributionOf(policy, observation, comparison)]
  if (truth !== undefined && comparison.kind !== 'skipped') {
    const candidate = comparison.kind === 'compared' ? comparison.candidate : null
    contributions.push(contributionOfLabel({ primary: comparison.primary, candidate }, truth))
  }
  return contributions
}

/** Spreads contributions evenly, in order, over this many buckets from the start of a window. */
export function rangeOf(policy: Policy, contributions: Contribution[][], buckets = 48): RollupRange {
  const bucketMs = bucketWidth(policy.window.duration)
  const range = { from: 0, to: buckets * bucketMs, bucketMs }
  const groupMs = groupWidth(range)
  const between = (from: number, to: number) => {
    const first = Math.round((from / range.to) * contributions.length)
    return accumulate(contributions.slice(first, Math.round((to / range.to) * contributions.length)).flat())
  }
  const starts = (width: number) => Array.from({ length: Math.ceil(range.to / width) }, (_, i) => i * width)
  return {
    ...range,
    buckets: starts(bucketMs)
      .map((at) => ({ at, sums: splitCells(between(at, at + bucketMs).sums).sums }))
      .filter(({ sums }) => sums.size > 0),
    groups: starts(groupMs)
      .map((at) => {
        const { sums, bins } = between(at, Math.min(range.to, at + groupMs))
        return { at, cells: splitCells(sums).cells, bins }
      })
      .filter(({ cells, bins }) => cells.size + bins.size > 0),
  }
}

/** Mulberry32: uniform in [0, 1), the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Standard normal, by Box and Muller. */
export function normalFrom(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
