import type { InferenceSession } from 'onnxruntime-node'
import { type BatchDimension, fitsShape, type ModelInfo } from '../model/model-info.ts'
import { type ElementType, emptyTensor, type Tensors } from '../model/tensor.ts'
import type { LoadRequest } from './messages.ts'
import { run } from './run-session.ts'
import { isRowSame } from './same-rows.ts'

interface Probed {
  batch: BatchDimension
  /** `undefined` where it was not asked for, or the model refuses what would tell. */
  mixesRows: boolean | undefined
  /** Of the outputs for one row. */
  shapes: Record<string, number[]>
  /** Of the dimensions that the file leaves open, beside the first. */
  size: number
}

/** Detectors take sides that are multiples of 32 alone, and convolutions at least their kernel's size. */
const sizes = [1, 32, 64]
/** Of the places that the open dimensions span, such as pixels: attention holds the square of their number. */
const placesMax = 64 * 64

/**
 * Warms up, and finds by running what the metadata may not tell: whether every output has one row per input row, and,
 * where `asksForMixing`, whether that row is of this input row alone. Throws where the model refuses zeros of all sizes
 * that are tried.
 */
export async function probeModel(session: InferenceSession, info: ModelInfo, asksForMixing: boolean): Promise<Probed> {
  const { size, outputs } = await smallestRun(session, info)
  const shapes = Object.fromEntries(Object.entries(outputs).map(([name, { shape }]) => [name, shape]))
  const probed = async (batch: BatchDimension, rows: number): Promise<Probed> => {
    const mixesRows = asksForMixing && rows > 1 ? await mixes(session, info, rows, size) : undefined
    return { shapes, size, batch, mixesRows }
  }
  if (!info.inputs.every(({ shape }) => shape[0] === -1)) {
    return probed(info.batch, info.batch.kind === 'fixed' ? info.batch.size : 1)
  }
  const two = Object.values(shapes).every(([rows]) => rows === 1)
    ? await run(session, zeros(info, 2, size)).catch(() => undefined)
    : undefined
  // of scores of all rows for all others both dimensions are the rows
  if (!two || !Object.entries(two).every(([name, { shape }]) => fitsShape(shape, [2, ...shapes[name]!.slice(1)]))) {
    return probed({ kind: 'none' }, 1)
  }
  return probed({ kind: 'dynamic' }, 2)
}

async function smallestRun(session: InferenceSession, info: ModelInfo): Promise<{ size: number; outputs: Tensors }> {
  const isOpen = info.inputs.some(({ shape }) => openBeside(shape) > 0)
  let refusal: unknown
  for (const size of isOpen ? sizes : [1]) {
    if (info.inputs.some(({ shape }) => size ** openBeside(shape) > placesMax)) break
    try {
      return { size, outputs: await run(session, zeros(info, 1, size)) }
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal
}

const openBeside = ([, ...others]: readonly number[]) => others.filter((told) => told === -1).length

type HasAmounts = (type: ElementType) => boolean

/** Numbers may be indices, which a model knows few of: from what tells the most to what is refused the least. */
const scales: HasAmounts[] = [(type) => type !== 'bool', (type) => type.startsWith('float'), () => false]

/**
 * Whether the first row, or the last, is answered otherwise beside rows like it than beside larger ones of the other
 * sign, in runs of the same size; `undefined` where the model refuses all of these. Each of both, since along a sequence
 * rows tell on those after them alone; and of both signs, since what all rows decide together, such as a branch, may be
 * the same for one of them.
 */
async function mixes(
  session: InferenceSession,
  info: ModelInfo,
  rows: number,
  size: number,
): Promise<boolean | undefined> {
  let found: false | undefined
  for (const own of [1, -1]) {
    for (const hasAmounts of scales) {
      const answer = (levelOf: (row: number) => number) =>
        run(session, fill(zeros(info, rows, size), rows, levelOf, hasAmounts))
      try {
        if (await tellOnEachOther(answer, rows, own)) return true
        found = false
        break
      } catch {
        // refused: smaller ones may not be
      }
    }
  }
  return found
}

async function tellOnEachOther(
  answer: (levelOf: (row: number) => number) => Promise<Tensors>,
  rows: number,
  own: number,
): Promise<boolean> {
  const [first, last] = [0, rows - 1]
  // of two rows each has to be the other's neighbour
  const ownRows = rows > 2 ? [[first, last]] : [[first], [last]]
  const besideOthers: Tensors[] = []
  for (const some of ownRows) besideOthers.push(await answer((row) => (some.includes(row) ? own : -10 * own)))
  const besideLike = await answer(() => own)
  if (ownRows.every((some, i) => some.every((row) => isRowSame(besideLike, besideOthers[i]!, row)))) return false
  // one that draws lots answers otherwise in any case, if not each time
  for (let seen = 0; seen < lotsMax; seen += rows) {
    const again = await answer(() => own)
    for (let row = 0; row < rows; row++) if (!isRowSame(besideLike, again, row)) return false
  }
  return true
}

/** Rows that are answered once more: of as many even coins one shows its other side. */
const lotsMax = 16

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
 * Up to its row's level where a type has amounts, which of whole numbers are 1 in rows of the level 1 or -1, and above zero
 * up to that of the others; without amounts 1 where the level is positive.
 */
function fill(tensors: Tensors, rows: number, levelOf: (row: number) => number, hasAmounts: HasAmounts): Tensors {
  for (const { type, data } of Object.values(tensors)) {
    if (type === 'string') continue
    const elements = data.length / rows
    const toElement = type === 'int64' || type === 'uint64' ? BigInt : Number
    for (let i = 0; i < data.length; i++) {
      const level = levelOf(Math.floor(i / elements))
      const amount = (level * (1 + (i % 7))) / 7
      const whole = Math.abs(level) === 1 ? 1 : Math.max(0, Math.ceil(amount))
      const value = !hasAmounts(type) ? Number(level > 0) : type.startsWith('float') ? amount : whole
      ;(data as Float32Array)[i] = toElement(value) as number
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
