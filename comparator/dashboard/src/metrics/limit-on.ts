import type { GateCheck } from '../../../../vocabulary/policy.ts'

/** Of the whole traffic, in the metric's own scale: a ratio's limit has no place on it. */
export function limitOn(metric: string, gate: readonly GateCheck[]): { min?: number; max?: number } {
  const check = gate.find((each) => each.metric === metric && !each.slice && each.relativeTo === undefined)
  return {
    ...(check?.min !== undefined && { min: check.min }),
    ...(check?.max !== undefined && { max: check.max }),
  }
}
