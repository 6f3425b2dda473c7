import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { ModelFile } from '../model-file/model-file.ts'
import type { SessionConfig } from './session-config.ts'
import type { WireTensors } from './wire-tensors.ts'

/** What front and instance say to each other, over Node's own channel with structured clone. */
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
  /** Idle threads wait busily: between runs too, or for the next operator of a run alone. */
  spinning: 'always' | 'withinRuns' | 'never'
  session: SessionConfig
  /** The rows that a batch will have, and the length of a row where it may differ. */
  warmUp: { rows: number; length: number }
  /** As an earlier process found of the same file; it is then not looked for again. */
  mixesRows?: boolean | undefined
  /** Whether the exchange file is there. */
  exchange: boolean
}

export interface LoadedModel extends Pick<ModelFile, 'opset' | 'quantization' | 'int8'> {
  info: ModelInfo
  /** `sha256:` and the digest in hex, of the file and its external data. */
  digest: string
  /** The names of those files. */
  externalData: string[]
  /**
   * Whether a row's answer was found to depend on the other rows of its run; `undefined` where nothing shares runs, or the
   * model refuses what would tell.
   */
  mixesRows: boolean | undefined
  /** 8-bit convolutions that were brought into the form for which the runtime uses AMX. */
  amxConvolutions: number
  /** Whether the first convolution is computed in blocks of pixels, for which the runtime has a kernel. */
  stemInBlocks: boolean
  runtimeVersion: string
  /** `shapes`: the outputs' by name, for one row of the smallest inputs. */
  warmUp: { kind: 'done'; ms: Milliseconds; shapes: Record<string, number[]> } | { kind: 'refused'; message: string }
}

export interface LoadProblem {
  code: 'MODEL_MISSING' | 'MODEL_INVALID' | 'MODEL_UNSUPPORTED' | 'MODEL_CHANGED'
  message: string
}
