/** Finds out by running a model whether the rows of a run affect each other's answers. */
import type { InferenceSession } from 'onnxruntime-node'
import type { ModelInfo } from '../tensor/model-info.ts'
import type { Tensors } from '../tensor/tensor.ts'
import { fill, type HasAmounts, openBeside, zeros } from './probe-inputs.ts'
import { run } from './run-session.ts'
import { isRowSame, isRowSameElsewhere } from './same-rows.ts'

interface Mixing {
  /** Whether any row's answer changed with the rows beside it. */
  mixesRows: boolean
  /** How large the open dimensions, other than the first, were. */
  size: number
  /** The outputs of one of the runs. */
  outputs: Tensors
}

/**
 * Numbers may be indices, of which a model knows few. Ordered from the most revealing inputs to the least likely to be
 * refused.
 */
const fillings: HasAmounts[] = [
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

/** How many answers to repeat: among this many even coins, at least one will almost surely differ. */
const repeatedMin = 16

/** With one step each, rows cannot be told from steps, so a model that confuses them shows it only with more. */
const stepsMin = 2

/** Answers the rows in `order`, filled as in run `at`. */
type Answer = (at: number, order: readonly number[]) => Promise<Tensors>

/**
 * Runs `rows` rows together with different contents. `size` is for the other dimensions that the file leaves open.
 * `undefined` if the model refuses every input that would show whether rows mix.
 */
export async function probeMixing(
  session: InferenceSession,
  info: ModelInfo,
  rows: number,
  size: number,
): Promise<Mixing | undefined> {
  const order = Array.from({ length: rows }, (_, row) => row)
  // an answer may also depend on the row's place or on the number of rows, which the runs in `order` never change
  const otherOrder = info.batch.kind === 'fixed' ? order.toReversed() : [1, 0, 1]
  const isOpen = info.inputs.some(({ shape }) => openBeside(shape) > 0)
  for (const steps of isOpen && size < stepsMin ? [stepsMin, size] : [size]) {
    for (const hasAmounts of fillings) {
      const answer: Answer = (at, order) =>
        run(
          session,
          fill(zeros(info, order.length, steps), order, (row) => levelsOf(row)[at]!, hasAmounts),
        )
      try {
        return { ...(await compareRuns(answer, order, otherOrder)), size: steps }
      } catch {
        // refused; smaller amounts or fewer steps may be accepted
      }
    }
  }
  return undefined
}

async function compareRuns(answer: Answer, all: number[], otherOrder: number[]): Promise<Omit<Mixing, 'size'>> {
  const answers: Tensors[] = []
  for (let at = 0; at < runs; at++) answers.push(await answer(at, all))
  const outputs = answers.at(-1)!
  const reordered = await answer(runs - 1, otherOrder)
  const isIndependent = (row: number) =>
    levelsOf(row).every((level, at, own) => isRowSame(answers[own.indexOf(level)]!, answers[at]!, row))
  const isSameElsewhere = otherOrder.every((row, place) => isRowSameElsewhere(outputs, row, reordered, place))
  if (isSameElsewhere && all.every(isIndependent)) return { mixesRows: false, outputs }
  // a model that uses randomness changes its answer anyway, though not every time
  for (let repeated = 0; repeated < repeatedMin; repeated += all.length) {
    const again = await answer(runs - 1, all)
    if (!all.every((row) => isRowSame(outputs, again, row))) return { mixesRows: false, outputs }
  }
  return { mixesRows: true, outputs }
}
