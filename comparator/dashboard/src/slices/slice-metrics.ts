import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { evidenceChecks } from '../../../../vocabulary/verdict.ts'
import { outputMetrics } from '../outputs/output-metrics.ts'

const common = [
  'latency.candidate.p50',
  'latency.candidate.p95',
  'latency.candidate.p99',
  'latency.delta.p95',
  'latency.slower',
  'errorRate.candidate',
  'errorRate.delta',
]

/** Metrics for comparing slices: those the gate judges, then those of the kind of output. */
export function sliceMetrics({ kind, policy }: Pick<ValidationView, 'kind' | 'policy'>): {
  gated: string[]
  others: string[]
} {
  const gated = [...new Set(policy.gate.map(({ metric }) => metric))].filter((name) => !evidenceChecks.includes(name))
  const truth = kind === 'classification' ? ['accuracy.candidate', 'accuracy.drift'] : []
  const others = [...outputMetrics(kind, ''), ...common, ...truth].filter((name) => !gated.includes(name))
  return { gated, others: [...new Set(others)] }
}
