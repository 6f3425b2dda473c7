import type { ModelName } from '../models/models.ts'
import type { TurnsPlan } from './take-turns.ts'

export interface ComparedModel {
  model: ModelName
  label: string
  /** Rows per batch, in the server and in one of the bare loops. */
  batch: number
  /** Minimum share of the faster bare loop's rate on the same core; undefined if it is only shown. */
  ratioMin: number | undefined
}

export const comparedModels: readonly ComparedModel[] = [
  { model: 'resnet50', label: 'ResNet-50', batch: 4, ratioMin: 0.95 },
  { model: 'encoder', label: 'BERT-like encoder, 6 × 384, 128 tokens', batch: 4, ratioMin: 0.95 },
  { model: 'mobilenet-v2', label: 'MobileNetV2', batch: 4, ratioMin: 0.8 },
  { model: 'resnet50-int8', label: 'ResNet-50, INT8', batch: 4, ratioMin: undefined },
  { model: 'resnet50-pixels-int8', label: 'ResNet-50, INT8, from pixels', batch: 4, ratioMin: undefined },
]

/** Enough that the next batch is complete while the last one runs. */
export const connectionsFor = (batch: number, instances: number) => 2 * batch * instances

export const tiny = { connections: 64, batch: 32, ratioMin: 3 }

export const tinyModels = [
  { model: 'mlp-64', label: 'MLP 64 → 128 → 64 → 10' },
  { model: 'mlp-784', label: 'MLP 784 → 512 → 512 → 10' },
] as const
export type TinyModel = (typeof tinyModels)[number]

export function servingPlan(quick: boolean): TurnsPlan {
  if (quick) return { warmUpMs: 500, durationMs: 1500, min: 1, max: 1, stableRange: 0.05 }
  // a server in JavaScript, ours or the naive one, reaches full speed only after a few thousand requests
  return { warmUpMs: 3000, durationMs: 5000, min: 3, max: 4, stableRange: 0.05 }
}
