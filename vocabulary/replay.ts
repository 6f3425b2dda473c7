import { type Static, Type } from 'typebox'
import { named, nullable, Time } from './schema.ts'
import { verdicts } from './verdict.ts'

export const ReplayDifference = named('ReplayDifference', {
  metric: Type.String(),
  field: Type.String(),
  stored: Type.Unknown(),
  replayed: Type.Unknown(),
})
export type ReplayDifference = Static<typeof ReplayDifference>

/** One stored evaluation, judged once more. */
export const ReplayedEvaluation = named('ReplayedEvaluation', {
  id: Type.String(),
  at: Time,
  verdict: Type.Enum(verdicts),
  /**
   * `kept`: from the very input that was judged; `rollups`: from the rollups, which have not moved since;
   * `notReplayable`: they have, and the input was not kept.
   */
  from: Type.Enum(['kept', 'rollups', 'notReplayable']),
  /** What it comes to now; `null` where it is not replayable. */
  replayed: nullable(Type.Enum(verdicts)),
  differences: Type.Array(ReplayDifference),
  /** Why it is not replayable, or what went wrong. */
  note: nullable(Type.String()),
})
export type ReplayedEvaluation = Static<typeof ReplayedEvaluation>

/** `GET /v1/validations/{name}/gate/replay?id&since&limit`, newest first. */
export const GateReplay = named('GateReplay', {
  validation: Type.String(),
  evaluations: Type.Array(ReplayedEvaluation),
  summary: Type.Object({ same: Type.Integer(), different: Type.Integer(), notReplayable: Type.Integer() }),
})
export type GateReplay = Static<typeof GateReplay>
