import type { InferenceSession } from 'onnxruntime-node'
import { type BatchDimension, fitsShape, type ModelInfo } from '../tensor/model-info.ts'
import type { Tensors } from '../tensor/tensor.ts'
import type { LoadRequest } from './messages.ts'
import { openBeside, zeros } from './probe-inputs.ts'
import { probeMixing } from './probe-mixing.ts'
import { run } from './run-session.ts'

interface Probed {
  batch: BatchDimension
  /** `undefined` if it was not asked for, or the model refuses the inputs that would show it. */
  mixesRows: boolean | undefined
  /** Output shapes for one row. */
  shapes: Record<string, number[]>
  /** Size used for the dimensions, other than the first, that the file leaves open. */
  size: number
}

/** Detectors often accept only multiples of 32, and convolutions need at least their kernel's size. */
const sizes = [1, 32, 64]
/** Limit on the product of the open dimensions (pixels, say), because attention needs the square of it. */
const openProductMax = 64 * 64

/**
 * Warms up the model and finds out by running it what the metadata may leave open: whether every output has one row per
 * input row and, if `asksForMixing`, whether each output row depends on its own input row alone. Throws if the model
 * refuses zeros of every size that is tried.
 */
export async function probeModel(session: InferenceSession, info: ModelInfo, asksForMixing: boolean): Promise<Probed> {
  const { size, outputs } = await smallestRun(session, info)
  const shapes = Object.fromEntries(Object.entries(outputs).map(([name, { shape }]) => [name, shape]))
  const isOpen = info.inputs.every(({ shape }) => shape[0] === -1)
  const isOneEach = Object.values(shapes).every(([rows]) => rows === 1)
  const rows = info.batch.kind === 'fixed' ? info.batch.size : isOpen && isOneEach ? 2 : 1
  const mixing = asksForMixing && rows > 1 ? await probeMixing(session, info, rows, size) : undefined
  if (!isOpen) return { shapes, size, batch: info.batch, mixesRows: mixing?.mixesRows }
  // in a matrix of scores between all rows, both dimensions follow the number of rows
  const areRows = (two: Tensors | undefined) =>
    two && Object.entries(two).every(([name, { shape }]) => fitsShape(shape, [2, ...shapes[name]!.slice(1)]))
  // with more steps, two outputs may be two steps
  const mixed = mixing?.size === size ? mixing.outputs : undefined
  // an output's width may depend on texts or amounts, so zeros decide
  const isBatch =
    rows > 1 && (areRows(mixed) || areRows(await run(session, zeros(info, 2, size)).catch(() => undefined)))
  return isBatch
    ? { shapes, size, batch: { kind: 'dynamic' }, mixesRows: mixing?.mixesRows }
    : { shapes, size, batch: { kind: 'none' }, mixesRows: undefined }
}

async function smallestRun(session: InferenceSession, info: ModelInfo): Promise<{ size: number; outputs: Tensors }> {
  const isOpen = info.inputs.some(({ shape }) => openBeside(shape) > 0)
  let refusal: unknown
  for (const size of isOpen ? sizes : [1]) {
    if (info.inputs.some(({ shape }) => size ** openBeside(shape) > openProductMax)) break
    try {
      return { size, outputs: await run(session, zeros(info, 1, size)) }
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal
}

/** The runtime plans memory for each new shape, so the largest one is run before the first request. */
export async function warmUpLarge(
  session: InferenceSession,
  info: ModelInfo,
  { rows, length }: LoadRequest['warmUp'],
  size: number,
): Promise<void> {
  const largest = info.batch.kind === 'dynamic' ? rows : 1
  // a model may refuse lengths that its metadata allows; its first request then runs cold
  if (largest > 1 || length > size) {
    await run(session, zeros(info, largest, size, Math.max(length, size))).catch(() => undefined)
  }
}
