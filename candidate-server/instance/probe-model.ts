import type { InferenceSession } from 'onnxruntime-node'
import { type BatchDimension, fitsShape, type ModelInfo } from '../model/model-info.ts'
import { type ElementType, emptyTensor, type Tensors } from '../model/tensor.ts'
import type { LoadRequest } from './messages.ts'
import { run } from './run-session.ts'
import { isRowSame, isRowSameElsewhere } from './same-rows.ts'

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
const placesMax = 64 * 64

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
  const met = asksForMixing && rows > 1 ? await meet(session, info, rows, size) : undefined
  if (!isOpen) return { shapes, size, batch: info.batch, mixesRows: met?.mixesRows }
  // in a matrix of scores between all rows, both dimensions follow the number of rows
  const areRows = (two: Tensors | undefined) =>
    two && Object.entries(two).every(([name, { shape }]) => fitsShape(shape, [2, ...shapes[name]!.slice(1)]))
  // an output's width may depend on texts or amounts, so zeros decide
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

/**
 * Numbers may be indices, of which a model knows few. Ordered from the most revealing inputs to the least likely to be
 * refused.
 */
const scales: HasAmounts[] = [
  (type) => type !== 'bool',
  (type) => type.startsWith('float') || type === 'string',
  (type) => type.startsWith('float'),
  () => false,
]

/**
 * The level of each kind of row in each run. For any two kinds of rows, every level of one is run beside both levels of
 * the other. Levels differ in sign and size, because a property that the rows decide together, such as a branch or a
 * maximum, may be the same for some of them.
 */
const levels = { first: [-10, -10, 7, 7], odd: [-7, 10, -7, 10], even: [-8, 8, 8, -8] } as const
const runs = levels.first.length

/**
 * Rows may affect only their neighbours, or rows at any other distance; in that case the first row affects or is
 * affected.
 */
const levelsOf = (row: number) => (row === 0 ? levels.first : row % 2 === 1 ? levels.odd : levels.even)

/** The result of running different rows together in runs of one size. */
interface Met {
  /** Whether any row's answer changed with the rows beside it. */
  mixesRows: boolean
  /** The outputs of one of the runs. */
  outputs: Tensors
}

/** Answers the rows in `order`, filled as in run `at`. */
type Answer = (at: number, order: readonly number[]) => Promise<Tensors>

/** With one step each, rows cannot be told from steps, so a model that confuses them shows it only with more. */
const stepsMin = 2

/** `undefined` if the model refuses every input that would show it. */
async function meet(session: InferenceSession, info: ModelInfo, rows: number, size: number): Promise<Met | undefined> {
  const order = Array.from({ length: rows }, (_, row) => row)
  // an answer may also depend on the row's place or on the number of rows, which the runs in `order` never change
  const otherOrder = info.batch.kind === 'fixed' ? order.toReversed() : [1, 0, 1]
  const isOpen = info.inputs.some(({ shape }) => openBeside(shape) > 0)
  for (const steps of isOpen && size < stepsMin ? [stepsMin, size] : [size]) {
    for (const hasAmounts of scales) {
      const answer: Answer = (at, order) =>
        run(
          session,
          fill(zeros(info, order.length, steps), order, (row) => levelsOf(row)[at]!, hasAmounts),
        )
      try {
        return await meetEachOther(answer, order, otherOrder)
      } catch {
        // refused; smaller amounts or fewer steps may be accepted
      }
    }
  }
  return undefined
}

async function meetEachOther(answer: Answer, all: number[], otherOrder: number[]): Promise<Met> {
  const met: Tensors[] = []
  for (let at = 0; at < runs; at++) met.push(await answer(at, all))
  const outputs = met.at(-1)!
  const reordered = await answer(runs - 1, otherOrder)
  const isAlone = (row: number) =>
    levelsOf(row).every((level, at, own) => isRowSame(met[own.indexOf(level)]!, met[at]!, row))
  const isSameElsewhere = otherOrder.every((row, place) => isRowSameElsewhere(outputs, row, reordered, place))
  if (isSameElsewhere && all.every(isAlone)) return { mixesRows: false, outputs }
  // a model that uses randomness changes its answer anyway, though not every time
  for (let seen = 0; seen < lotsMax; seen += all.length) {
    const again = await answer(runs - 1, all)
    if (!all.every((row) => isRowSame(outputs, again, row))) return { mixesRows: false, outputs }
  }
  return { mixesRows: true, outputs }
}

/** How many answers to repeat: among this many even coins, at least one will almost surely differ. */
const lotsMax = 16

/** The runtime plans memory for each new shape, so the largest one is run before the first request. */
export async function warmUpLarge(
  session: InferenceSession,
  info: ModelInfo,
  { rows, length }: LoadRequest['warmUp'],
  size: number,
): Promise<void> {
  const largest = info.batch.kind === 'dynamic' ? rows : 1
  // a model may refuse lengths that its metadata allows; its first request then runs cold
  if (largest > 1 || length > size)
    await run(session, zeros(info, largest, size, Math.max(length, size))).catch(() => undefined)
}

/** `order`: which row stands at each place. */
function fill(
  tensors: Tensors,
  order: readonly number[],
  levelOf: (row: number) => number,
  hasAmounts: HasAmounts,
): Tensors {
  for (const { type, data } of Object.values(tensors)) {
    const elements = data.length / order.length
    for (let i = 0; i < data.length; i++) {
      const row = order[Math.floor(i / elements)]!
      const value = fillingOf(type, levelOf(row), row * elements + (i % elements), hasAmounts(type))
      ;(data as unknown[])[i] = value
    }
  }
  return tensors
}

/**
 * Fills up to the level if the type has amounts; integers and word counts have none below zero. Without amounts: 1 if
 * the level is above zero, and empty text.
 */
function fillingOf(type: ElementType, level: number, place: number, hasAmount: boolean): number | bigint | string {
  const amount = (level * (1 + (place % 7))) / 7
  const whole = Math.max(0, Math.ceil(amount))
  if (type === 'string') return hasAmount ? new Array<string>(whole).fill('text').join(' ') : ''
  const number = !hasAmount ? Number(level > 0) : type.startsWith('float') ? amount : whole
  return type === 'int64' || type === 'uint64' ? BigInt(number) : number
}

/** `length`: of the second dimension, if the file leaves it open. */
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
