import type { TurnsPlan } from '../serving/take-turns.ts'

export function ladderPlan(quick: boolean): TurnsPlan {
  if (quick) return { warmUpMs: 500, durationMs: 1500, min: 1, max: 1, stableRange: 0.05 }
  // our front computes at its own pace only after some thousand requests, which Python's loops need not
  return { warmUpMs: 5000, durationMs: 5000, min: 3, max: 4, stableRange: 0.05 }
}
