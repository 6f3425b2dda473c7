import { join } from 'node:path'

/** One input of a model, without the batch dimension. */
interface BenchInput {
  name: string
  datatype: 'FP32' | 'UINT8' | 'INT64'
  rowShape: readonly number[]
  /** Element `i` of a row. */
  valueAt: (i: number) => number
}

interface BenchModel {
  name: string
  /** File name within `modelsFolder()`. */
  file: string
  inputs: readonly BenchInput[]
}

export const modelNames = [
  'mlp-64',
  'mlp-784',
  'mobilenet-v2',
  'encoder',
  'resnet50',
  'resnet50-int8',
  'resnet50-pixels',
  'resnet50-pixels-int8',
  'resnet18-112',
  'resnet18-112-int8',
  'resnet18-112-pixels-int8',
] as const
export type ModelName = (typeof modelNames)[number]

/** Tokens per text for the encoder. */
const sequenceLength = 128
/** The largest prime below 8000, which is the size of the encoder's vocabulary. */
const vocabularyPrime = 7993

/** The same in every process and language, so that answers can be compared; few digits in JSON. */
const wave = (i: number) => Math.floor(64 * (Math.sin(i * 0.37) + Math.cos(i * 0.011))) / 64

export function modelOf(name: ModelName): BenchModel {
  return { name, file: `${name}.onnx`, inputs: inputsOf(name) }
}

function inputsOf(name: ModelName): BenchInput[] {
  if (name === 'mlp-64' || name === 'mlp-784') {
    return [{ name: 'input', datatype: 'FP32', rowShape: [Number(name.slice('mlp-'.length))], valueAt: wave }]
  }
  if (name === 'encoder') {
    const row = { datatype: 'INT64', rowShape: [sequenceLength] } as const
    return [
      { name: 'input_ids', ...row, valueAt: (i) => (i * 31) % vocabularyPrime },
      { name: 'attention_mask', ...row, valueAt: () => 1 },
    ]
  }
  const side = name.includes('-112') ? 112 : 224
  const rowShape = [3, side, side]
  if (name.includes('-pixels')) return [{ name: 'input', datatype: 'UINT8', rowShape, valueAt: (i) => (i * 37) % 256 }]
  return [{ name: 'input', datatype: 'FP32', rowShape, valueAt: wave }]
}

const arrays = { FP32: Float32Array, UINT8: Uint8Array, INT64: BigInt64Array }

/** One input's elements for the given number of rows, all identical. */
export function elementsOf({ datatype, rowShape, valueAt }: BenchInput, rows: number) {
  const count = rowShape.reduce((product, size) => product * size, 1)
  const elements = new arrays[datatype](rows * count)
  for (let at = 0; at < elements.length; at++) {
    const value = valueAt(at % count)
    elements[at] = datatype === 'INT64' ? BigInt(value) : value
  }
  return elements
}

export const pathOf = (folder: string, { file }: Pick<BenchModel, 'file'>) => join(folder, file)
