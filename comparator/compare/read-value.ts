import type { RegressionMapping } from '../../vocabulary/mapping-kinds.ts'
import { atRow, rowSteps } from '../../vocabulary/row-pointers.ts'
import { elementsMax, isUsableNumber, magnitudeMax, type ValueAnswer } from './answer.ts'
import { countRows } from './count-rows.ts'
import { describe, misfit, type Problem, problem } from './mapping-problem.ts'
import { resolvePointer } from './resolve-pointer.ts'

type Side = Omit<RegressionMapping, 'primary' | 'candidate'>

/** A number or an array of numbers, nested or not, or those of each row, in the unit that both sides share. */
export function readValue(side: Side, document: unknown): ValueAnswer | Problem {
  const path = side.value!
  if (rowSteps(path) > 0) return readRowValues(side, document, path)
  const found = resolvePointer(document, path)
  const numbers = typeof found === 'number' ? found : readNumbers(document, path)
  if (typeof numbers === 'object' && 'kind' in numbers) return numbers
  if (typeof numbers === 'number' && !isUsableNumber(numbers)) return misfit(document, path, found, 'a number')
  const { scale = 1, offset = 0 } = side
  if (scale === 1 && offset === 0) return { kind: 'value', value: numbers }
  const convert = (value: number) => value * scale + offset
  const value = typeof numbers === 'number' ? convert(numbers) : numbers.map(convert)
  const isUsable = typeof value === 'number' ? isUsableNumber(value) : value.every(isUsableNumber)
  return isUsable
    ? { kind: 'value', value }
    : problem('type', path, `numbers up to ${magnitudeMax} after scale`, 'greater ones')
}

function readRowValues(side: Side, document: unknown, path: string): ValueAnswer | Problem {
  const count = countRows([path], document)
  if (typeof count === 'object') return count
  const value: number[] = []
  for (let row = 0; row < count; row++) {
    const read = readValue({ ...side, value: atRow(path, row) }, document)
    if (read.kind === 'problem') return read
    for (const number of [read.value].flat()) value.push(number)
    if (value.length > elementsMax) return problem('tooLarge', path, `at most ${elementsMax} numbers`, 'more')
  }
  return { kind: 'value', value }
}

/**
 * The numbers of an array, flattened; at least one. Iterative, since a hostile body nests deeper than the stack.
 */
export function readNumbers(document: unknown, path: string): number[] | Problem {
  const expected = 'a number or numbers'
  const found = resolvePointer(document, path)
  if (!Array.isArray(found)) return misfit(document, path, found, expected)
  const flat: number[] = []
  const open = [{ items: found as unknown[], next: 0 }]
  while (open.length > 0) {
    const level = open.at(-1)!
    if (level.next === level.items.length) {
      open.pop()
      continue
    }
    const item = level.items[level.next++]
    if (Array.isArray(item)) open.push({ items: item, next: 0 })
    else if (!isUsableNumber(item)) return problem('type', path, expected, `${describe(item)} among them`)
    else if (flat.length < elementsMax) flat.push(item)
    else return problem('tooLarge', path, `at most ${elementsMax} numbers`, 'more')
  }
  return flat.length === 0 ? problem('shape', path, expected, 'an array without any') : flat
}
