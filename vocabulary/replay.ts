import type { Verdict } from './gate.ts'

/** One stored evaluation, judged once more. */
export interface ReplayedEvaluation {
  id: string
  at: string
  verdict: Verdict
  /**
   * `kept`: from the very input that was judged; `rollups`: from the rollups, which have not moved since;
   * `notReplayable`: they have, and the input was not kept.
   */
  from: 'kept' | 'rollups' | 'notReplayable'
  /** What it comes to now; `null` where it is not replayable. */
  replayed: Verdict | null
  differences: ReplayDifference[]
  /** Why it is not replayable, or what went wrong. */
  note: string | null
}

export interface ReplayDifference {
  metric: string
  field: string
  stored: unknown
  replayed: unknown
}

/** `GET /v1/validations/{name}/gate/replay?id&since&limit`, newest first. */
export interface GateReplay {
  validation: string
  evaluations: ReplayedEvaluation[]
  summary: { same: number; different: number; notReplayable: number }
}
