import type { TurnsPlan } from '../serving/take-turns.ts'

export function ladderPlan(quick: boolean): TurnsPlan {
  if (quick) return { warmUpMs: 500, durationMs: 1500, min: 1, max: 1, stableRange: 0.05 }
  // our front reaches full speed only after a few thousand requests; Python's loops need no such warm-up
  return { warmUpMs: 5000, durationMs: 5000, min: 3, max: 4, stableRange: 0.05 }
}
