import type { InferenceSession } from 'onnxruntime-node'
import { type BatchDimension, fitsShape, type ModelInfo } from '../model/model-info.ts'
import { emptyTensor, type Tensors } from '../model/tensor.ts'
import type { LoadRequest } from './messages.ts'
import { run } from './run-session.ts'
import { areRowsSame } from './same-rows.ts'

interface Probed {
  batch: BatchDimension
  mixesRows: boolean
  /** Of the outputs for one row. */
  shapes: Record<string, number[]>
}

/**
 * Warms up, and finds by running what the metadata may not tell: whether every output has one row per input row, and
 * whether that row is of this input row alone. Throws where the model refuses zeros of the smallest shapes.
 */
export async function probeModel(session: InferenceSession, info: ModelInfo): Promise<Probed> {
  await run(session, zeros(info, 1))
  const single = await run(session, zeros(info, 1))
  const shapes = Object.fromEntries(Object.entries(single).map(([name, { shape }]) => [name, shape]))
  if (!info.inputs.every(({ shape }) => shape[0] === -1)) {
    const { batch } = info
    const mixesRows = batch.kind === 'fixed' && batch.size > 1 && (await mixes(session, info, batch.size))
    return { shapes, batch, mixesRows }
  }
  const two = Object.values(shapes).every(([rows]) => rows === 1)
    ? await run(session, zeros(info, 2)).catch(() => undefined)
    : undefined
  // of scores of all rows for all others both dimensions are the rows
  if (!two || !Object.entries(two).every(([name, { shape }]) => fitsShape(shape, [2, ...shapes[name]!.slice(1)]))) {
    return { shapes, batch: { kind: 'none' }, mixesRows: false }
  }
  return { shapes, batch: { kind: 'dynamic' }, mixesRows: await mixes(session, info, 2) }
}

/**
 * Whether the first row is answered otherwise beside rows like it than beside larger ones of the other sign, in runs of
 * the same size. Of both signs: what all rows decide together, such as a branch, may be the same for one of them.
 */
async function mixes(session: InferenceSession, info: ModelInfo, rows: number): Promise<boolean> {
  const answer = (own: number, others: number) => run(session, levels(info, rows, own, others)).catch(() => undefined)
  for (const own of [1, -1]) {
    const besideLike = await answer(own, own)
    const besideOthers = await answer(own, -10 * own)
    if (!besideLike || !besideOthers || areRowsSame(besideLike, besideOthers, 1)) continue
    const again = await answer(own, own)
    // one that draws lots answers otherwise in any case
    return again !== undefined && areRowsSame(besideLike, again, rows)
  }
  return false
}

/** The runtime plans memory for each shape that it meets; the largest is best met before the first request. */
export async function warmUpLarge(
  session: InferenceSession,
  info: ModelInfo,
  { rows, length }: LoadRequest['warmUp'],
): Promise<void> {
  const largest = info.batch.kind === 'dynamic' ? rows : 1
  // a model may refuse lengths that its metadata allows: it then meets its first request cold
  if (largest > 1 || length > 1) await run(session, zeros(info, largest, length)).catch(() => undefined)
}

/** Floats up to `own` in the first row and up to `others` in the rest; of other types 1 where that is positive. */
function levels(info: ModelInfo, rows: number, own: number, others: number): Tensors {
  const tensors = zeros(info, rows)
  for (const { type, data } of Object.values(tensors)) {
    if (type === 'string') continue
    const [zero, one] = type === 'int64' || type === 'uint64' ? [0n, 1n] : [0, 1]
    const row = data.length / rows
    for (let i = 0; i < data.length; i++) {
      const level = i < row ? own : others
      const value = type.startsWith('float') ? (level * (1 + (i % 7))) / 7 : level > 0 ? one : zero
      ;(data as Float32Array)[i] = value as number
    }
  }
  return tensors
}

function zeros({ inputs }: ModelInfo, rows: number, length = 1): Tensors {
  return Object.fromEntries(
    inputs.map(({ name, type, shape }) => [
      name,
      emptyTensor(
        type,
        shape.map((size, i) => (size !== -1 ? size : i === 0 ? rows : i === 1 ? length : 1)),
      ),
    ]),
  )
}
