import type { InferenceSession } from 'onnxruntime-node'
import { type BatchDimension, fitsShape, type ModelInfo } from '../model/model-info.ts'
import { elementCount, emptyTensor, type Tensors } from '../model/tensor.ts'
import type { LoadRequest } from './messages.ts'
import { run } from './run-session.ts'
import { isRowSame } from './same-rows.ts'

interface Probed {
  batch: BatchDimension
  mixesRows: boolean
  /** Of the outputs for one row. */
  shapes: Record<string, number[]>
  /** Of the dimensions that the file leaves open, beside the first. */
  size: number
}

/** Detectors take sides that are multiples of 32 alone, and convolutions at least their kernel's size. */
const sizes = [1, 32, 256]
/** With many open dimensions the larger ones are too large. */
const elementsMax = 2 ** 22

/**
 * Warms up, and finds by running what the metadata may not tell: whether every output has one row per input row, and
 * whether that row is of this input row alone. Throws where the model refuses zeros of all sizes that are tried.
 */
export async function probeModel(session: InferenceSession, info: ModelInfo): Promise<Probed> {
  const size = await smallestSize(session, info)
  const single = await run(session, zeros(info, 1, size))
  const shapes = Object.fromEntries(Object.entries(single).map(([name, { shape }]) => [name, shape]))
  if (!info.inputs.every(({ shape }) => shape[0] === -1)) {
    const { batch } = info
    const mixesRows = batch.kind === 'fixed' && batch.size > 1 && (await mixes(session, info, batch.size, size))
    return { shapes, size, batch, mixesRows }
  }
  const two = Object.values(shapes).every(([rows]) => rows === 1)
    ? await run(session, zeros(info, 2, size)).catch(() => undefined)
    : undefined
  // of scores of all rows for all others both dimensions are the rows
  if (!two || !Object.entries(two).every(([name, { shape }]) => fitsShape(shape, [2, ...shapes[name]!.slice(1)]))) {
    return { shapes, size, batch: { kind: 'none' }, mixesRows: false }
  }
  return { shapes, size, batch: { kind: 'dynamic' }, mixesRows: await mixes(session, info, 2, size) }
}

async function smallestSize(session: InferenceSession, info: ModelInfo): Promise<number> {
  const isOpen = info.inputs.some(({ shape }) => shape.slice(1).includes(-1))
  let refusal: unknown
  for (const size of isOpen ? sizes : [1]) {
    const inputs = info.inputs.map(({ shape }) => shape.map((told) => (told === -1 ? size : told)))
    if (size > 1 && inputs.some((shape) => elementCount(shape.slice(1)) > elementsMax)) break
    try {
      await run(session, zeros(info, 1, size))
      return size
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal
}

/**
 * Whether the first row, or the last, is answered otherwise beside rows like it than beside larger ones of the other
 * sign, in runs of the same size. Each of both, since along a sequence rows tell on those after them alone; and of both
 * signs, since what all rows decide together, such as a branch, may be the same for one of them.
 */
async function mixes(session: InferenceSession, info: ModelInfo, rows: number, size: number): Promise<boolean> {
  const answer = (ownRow: number, own: number, others: number) =>
    run(session, levels(zeros(info, rows, size), rows, ownRow, own, others)).catch(() => undefined)
  for (const own of [1, -1]) {
    const besideLike = await answer(0, own, own)
    for (const ownRow of [0, rows - 1]) {
      const besideOthers = besideLike && (await answer(ownRow, own, -10 * own))
      if (!besideOthers || isRowSame(besideLike, besideOthers, ownRow)) continue
      const again = await answer(0, own, own)
      // one that draws lots answers otherwise in any case
      return again !== undefined && isRowSame(besideLike, again, ownRow)
    }
  }
  return false
}

/** The runtime plans memory for each shape that it meets; the largest is best met before the first request. */
export async function warmUpLarge(
  session: InferenceSession,
  info: ModelInfo,
  { rows, length }: LoadRequest['warmUp'],
  size: number,
): Promise<void> {
  const largest = info.batch.kind === 'dynamic' ? rows : 1
  // a model may refuse lengths that its metadata allows: it then meets its first request cold
  if (largest > 1 || length > size)
    await run(session, zeros(info, largest, size, Math.max(length, size))).catch(() => undefined)
}

/**
 * Floats up to `own` in its row and up to `others` in the rest; of bytes, which are pixels, their amounts; and of types that
 * may be indices 1 where that is positive.
 */
function levels(tensors: Tensors, rows: number, ownRow: number, own: number, others: number): Tensors {
  for (const { type, data } of Object.values(tensors)) {
    if (type === 'string') continue
    const [zero, one] = type === 'int64' || type === 'uint64' ? [0n, 1n] : [0, 1]
    const elements = data.length / rows
    for (let i = 0; i < data.length; i++) {
      const level = Math.floor(i / elements) === ownRow ? own : others
      const float = (level * (1 + (i % 7))) / 7
      const whole = type === 'uint8' ? Math.ceil(Math.abs(float)) : level > 0 ? one : zero
      ;(data as Float32Array)[i] = type.startsWith('float') ? float : (whole as number)
    }
  }
  return tensors
}

/** `length`: of the second dimension, where the file leaves it open. */
function zeros({ inputs }: ModelInfo, rows: number, size: number, length = size): Tensors {
  return Object.fromEntries(
    inputs.map(({ name, type, shape }) => [
      name,
      emptyTensor(
        type,
        shape.map((told, i) => (told !== -1 ? told : i === 0 ? rows : i === 1 ? length : size)),
      ),
    ]),
  )
}
