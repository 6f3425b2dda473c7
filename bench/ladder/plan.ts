import type { TurnsPlan } from '../serving/take-turns.ts'

export function ladderPlan(quick: boolean): TurnsPlan {
  if (quick) return { warmUpMs: 500, durationMs: 1500, min: 1, max: 1, stableRange: 0.05 }
  return { warmUpMs: 1000, durationMs: 5000, min: 3, max: 4, stableRange: 0.05 }
}
