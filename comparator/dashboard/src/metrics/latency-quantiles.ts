import type { GateCheck } from '../../../../vocabulary/policy.ts'
import { limitOn } from './limit-on.ts'

export const latencyQuantiles = ['p50', 'p90', 'p95', 'p99'] as const
export type LatencyQuantile = (typeof latencyQuantiles)[number]

/**
 * The quantile drawn over time: the one in the reader's chosen metric, else the one the gate limits, else the default.
 */
export function quantileShown(metric: string | null, gate: readonly GateCheck[]): LatencyQuantile {
  const gated = gate.filter((check) => !check.reportOnly).map((check) => check.metric)
  const named = [metric ?? '', ...gated, ...gate.map((check) => check.metric)]
  return named.map(quantileOf).find((quantile) => quantile !== null) ?? 'p95'
}

function quantileOf(metric: string): LatencyQuantile | null {
  const parts = metric.split('.')
  return parts[0] === 'latency' ? (latencyQuantiles.find((quantile) => quantile === parts.at(-1)) ?? null) : null
}

/** Every limit of the gate on one metric, one by one. */
export function limitsOn(metric: string, gate: readonly GateCheck[]): { value: number; side: 'min' | 'max' }[] {
  const { min, max } = limitOn(metric, gate)
  return [
    ...(min === undefined ? [] : [{ value: min, side: 'min' as const }]),
    ...(max === undefined ? [] : [{ value: max, side: 'max' as const }]),
  ]
}
