import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { SessionConfig } from '../config/session.ts'
import type { ModelFile } from '../model-file/model-file.ts'
import type { ModelInfo } from '../tensor/model-info.ts'
import type { WireTensors } from './wire-tensors.ts'

/** Messages between front and instance, sent over Node's own channel with structured clone. */
export type ToInstance =
  | ({ kind: 'load' } & LoadRequest)
  | { kind: 'run'; id: number; inputs: WireTensors; outputBytesMax: Bytes }
  | { kind: 'stop' }

export type FromInstance =
  | { kind: 'ready'; model: LoadedModel; rssBytes: Bytes }
  | ({ kind: 'unloadable' } & LoadProblem)
  | { kind: 'done'; id: number; outputs: WireTensors; inferMs: Milliseconds; rssBytes: Bytes }
  | { kind: 'failed'; id: number; message: string }

export interface LoadRequest {
  path: string
  threads: number
  /** When idle threads spin: always, or only while they wait for the next operator within a run. */
  spinning: 'always' | 'withinRuns' | 'never'
  session: SessionConfig
  /** The number of rows in a full batch, and the length of a row if it is dynamic. */
  warmUp: { rows: number; length: number }
  /** The finding of an earlier process for the same file; if given, the probe is skipped. */
  mixesRows?: boolean | undefined
  /** Whether the exchange file is open. */
  exchange: boolean
}

export interface LoadedModel extends Pick<ModelFile, 'opset' | 'quantization' | 'int8'> {
  info: ModelInfo
  /** `sha256:` and the hex digest of the file and its external data. */
  digest: string
  /** Names of the external data files. */
  externalData: string[]
  /**
   * Whether a row's answer was found to depend on the other rows of its run; `undefined` if runs are not shared, or if
   * the model refuses the inputs that would show it.
   */
  mixesRows: boolean | undefined
  /** Number of 8-bit convolutions rewritten so that the runtime uses AMX for them. */
  amxConvolutions: number
  /** Whether the first convolution is computed in blocks of pixels, for which the runtime has a kernel. */
  stemInBlocks: boolean
  runtimeVersion: string
  /** `shapes`: output shapes by name, for one row of the smallest inputs. */
  warmUp: { kind: 'done'; ms: Milliseconds; shapes: Record<string, number[]> } | { kind: 'refused'; message: string }
}

export interface LoadProblem {
  code: 'MODEL_MISSING' | 'MODEL_INVALID' | 'MODEL_UNSUPPORTED' | 'MODEL_CHANGED'
  message: string
}
