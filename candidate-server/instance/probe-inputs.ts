import type { ModelInfo } from '../tensor/model-info.ts'
import { type ElementType, emptyTensor, type Tensors } from '../tensor/tensor.ts'

/** How many dimensions other than the first are open. */
export const openBeside = ([, ...others]: readonly number[]) => others.filter((told) => told === -1).length

/** Inputs of zeros. `size` and `length` are for dimensions that the file leaves open; `length` is the second one. */
export function zeros({ inputs }: ModelInfo, rows: number, size: number, length = size): Tensors {
  const open = [rows, length]
  const filled = (shape: readonly number[]) => shape.map((told, i) => (told === -1 ? (open[i] ?? size) : told))
  return Object.fromEntries(inputs.map(({ name, type, shape }) => [name, emptyTensor(type, filled(shape))]))
}

/** Which element types are filled with amounts; the others with 0 or 1, or empty text. */
export type HasAmounts = (type: ElementType) => boolean

/** Fills `tensors` in place and returns them. `order`: which row stands at each place. */
export function fill(
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
 * An amount up to the level; integers and word counts have none below zero. Without amounts: 1 if the level is above
 * zero, and empty text.
 */
function fillingOf(type: ElementType, level: number, place: number, hasAmount: boolean): number | bigint | string {
  const amount = (level * (1 + (place % 7))) / 7
  const whole = Math.max(0, Math.ceil(amount))
  if (type === 'string') return hasAmount ? new Array<string>(whole).fill('text').join(' ') : ''
  const number = !hasAmount ? Number(level > 0) : type.startsWith('float') ? amount : whole
  return type === 'int64' || type === 'uint64' ? BigInt(number) : number
}
