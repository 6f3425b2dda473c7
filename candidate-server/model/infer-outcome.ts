import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Tensors } from './tensor.ts'

export interface InferTimings {
  /** From arrival until an instance took the batch. */
  queueMs: Milliseconds
  /** Stacking, the way to the instance and back, and splitting. */
  batchMs: Milliseconds
  /** The session's run alone. */
  inferMs: Milliseconds
}

export type InferOutcome =
  | { kind: 'answered'; outputs: Tensors; timings: InferTimings }
  | { kind: 'failed'; message: string }
  /** `isLate`: the run took longer than its limit, and the instance was ended with it. */
  | { kind: 'instanceLost'; isLate: boolean }
  | { kind: Exclude<DropReason, 'instanceLost'> }

/** Why a request was not answered, each counted. */
export const dropReasons = ['queueFull', 'expired', 'clientGone', 'instanceLost', 'notReady', 'stopping'] as const
export type DropReason = (typeof dropReasons)[number]
