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
  const isOpen = info.inputs.every(({ shape }) => shape[0] === -1)
  const isOneEach = Object.values(shapes).every(([rows]) => rows === 1)
  const rows = info.batch.kind === 'fixed' ? info.batch.size : isOpen && isOneEach ? 2 : 1
  const met = asksForMixing && rows > 1 ? await meet(session, info, rows, size) : undefined
  if (!isOpen) return { shapes, size, batch: info.batch, mixesRows: met?.mixesRows }
  // of scores of all rows for all others both dimensions are the rows
  const areRows = (two: Tensors | undefined) =>
    two && Object.entries(two).every(([name, { shape }]) => fitsShape(shape, [2, ...shapes[name]!.slice(1)]))
  // where texts or amounts decide how wide an output is, zeros tell
  const isBatch =
    rows > 1 && (areRows(met?.outputs) || areRows(await run(session, zeros(info, 2, size)).catch(() => undefined)))
  return isBatch
    ? { shapes, size, batch: { kind: 'dynamic' }, mixesRows: met?.mixesRows }
    : { shapes, size, batch: { kind: 'none' }, mixesRows: undefined }
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
const scales: HasAmounts[] = [
  (type) => type !== 'bool',
  (type) => type.startsWith('float') || type === 'string',
  (type) => type.startsWith('float'),
  () => false,
]

/**
 * What rows have in each of the runs in which they meet. Of any two kinds each of the one's levels stands beside each of
 * the other's. They are of either sign and of several sizes, since what rows decide together, such as a branch or the
 * largest of all, may be the same for one of them.
 */
const levels = { first: [-10, -10, 7, 7], odd: [-7, 10, -7, 10], even: [-8, 8, 8, -8] } as const
const runs = levels.first.length

/** Rows may tell on their neighbours alone, or at any other distance: then the first one does, or is told on. */
const levelsOf = (row: number) => (row === 0 ? levels.first : row % 2 === 1 ? levels.odd : levels.even)

/** What became of rows that met in runs of the same size. */
interface Met {
  /** Whether any was answered otherwise beside other rows. */
  mixesRows: boolean
  /** Of one of the runs. */
  outputs: Tensors
}

/** `undefined` where the model refuses all that would tell. */
async function meet(session: InferenceSession, info: ModelInfo, rows: number, size: number): Promise<Met | undefined> {
  for (const hasAmounts of scales) {
    const answer = (at: number) =>
      run(
        session,
        fill(zeros(info, rows, size), rows, (row) => levelsOf(row)[at]!, hasAmounts),
      )
    try {
      return await meetEachOther(answer, rows)
    } catch {
      // refused: smaller ones may not be
    }
  }
  return undefined
}

async function meetEachOther(answer: (at: number) => Promise<Tensors>, rows: number): Promise<Met> {
  const met: Tensors[] = []
  for (let at = 0; at < runs; at++) met.push(await answer(at))
  const outputs = met.at(-1)!
  const all = Array.from({ length: rows }, (_, row) => row)
  const isAlone = (row: number) =>
    levelsOf(row).every((level, at, own) => isRowSame(met[own.indexOf(level)]!, met[at]!, row))
  if (all.every(isAlone)) return { mixesRows: false, outputs }
  // one that draws lots answers otherwise in any case, if not each time
  for (let seen = 0; seen < lotsMax; seen += rows) {
    const again = await answer(runs - 1)
    if (!all.every((row) => isRowSame(outputs, again, row))) return { mixesRows: false, outputs }
  }
  return { mixesRows: true, outputs }
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

function fill(tensors: Tensors, rows: number, levelOf: (row: number) => number, hasAmounts: HasAmounts): Tensors {
  for (const { type, data } of Object.values(tensors)) {
    const elements = data.length / rows
    for (let i = 0; i < data.length; i++) {
      const value = fillingOf(type, levelOf(Math.floor(i / elements)), i, hasAmounts(type))
      ;(data as unknown[])[i] = value
    }
  }
  return tensors
}

/**
 * Up to the level where a type has amounts, of which whole numbers and a text's words have none below zero; without
 * amounts 1 where the level is above zero, and no text at all.
 */
function fillingOf(type: ElementType, level: number, place: number, hasAmount: boolean): number | bigint | string {
  const amount = (level * (1 + (place % 7))) / 7
  const whole = Math.max(0, Math.ceil(amount))
  if (type === 'string') return hasAmount ? new Array<string>(whole).fill('text').join(' ') : ''
  const number = !hasAmount ? Number(level > 0) : type.startsWith('float') ? amount : whole
  return type === 'int64' || type === 'uint64' ? BigInt(number) : number
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
