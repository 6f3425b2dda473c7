import type { GateCheck } from '../../../../vocabulary/policy.ts'

/**
 * The gate's limits on a metric over all traffic, in the metric's own scale; limits relative to the primary or the
 * noise floor are on a different scale and left out.
 */
export function limitOn(metric: string, gate: readonly GateCheck[]): { min?: number; max?: number } {
  const check = gate.find((each) => each.metric === metric && !each.slice && each.relativeTo === undefined)
  return {
    ...(check?.min !== undefined && { min: check.min }),
    ...(check?.max !== undefined && { max: check.max }),
  }
}
