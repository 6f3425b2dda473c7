import type { Milliseconds } from '../../vocabulary/units.ts'
import type { RunLimit } from '../instance/run-watch.ts'
import type { Tensors } from '../tensor/tensor.ts'

export interface InferTimings {
  /** From arrival until an instance took the batch. */
  queueMs: Milliseconds
  /** Stacking, transfer to the instance and back, and splitting. */
  batchMs: Milliseconds
  /** The session's run alone. */
  inferMs: Milliseconds
}

export type InferOutcome =
  | { kind: 'answered'; outputs: Tensors; timings: InferTimings }
  | { kind: 'failed'; message: string }
  /** `limit`: the limit that the run exceeded, for which its instance was ended. */
  | { kind: 'instanceLost'; limit: RunLimit | undefined }
  | { kind: Exclude<DropReason, 'instanceLost'> }

/** Why a request was not answered; each reason is counted. */
export const dropReasons = ['queueFull', 'expired', 'clientGone', 'instanceLost', 'notReady', 'stopping'] as const
export type DropReason = (typeof dropReasons)[number]
