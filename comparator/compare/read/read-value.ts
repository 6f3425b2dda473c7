import type { RegressionMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { atRow, rowSteps } from '../../../vocabulary/mapping/row-pointers.ts'
import { elementsMax, isUsableNumber, magnitudeMax, type ValueAnswer } from '../answer.ts'
import { countRows } from './count-rows.ts'
import { flatten } from './flatten.ts'
import { describe, misfit, type Problem, pointerTo, problem } from './mapping-problem.ts'
import { resolvePointer } from './resolve-pointer.ts'

type Side = Omit<RegressionMapping, 'primary' | 'candidate'>

/** Reads a number, an array of numbers (nested or not), or those of each row, in the unit that both sides share. */
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

/** The numbers of an array, nested or not; at least one. */
export function readNumbers(document: unknown, path: string): number[] | Problem {
  const expected = 'a number or numbers'
  const found = resolvePointer(document, path)
  if (!Array.isArray(found)) return misfit(document, path, found, expected)
  const flat = flatten(found)
  if (flat === null) return problem('tooLarge', path, `at most ${elementsMax} numbers`, 'more')
  if (flat.length === 0) return problem('shape', path, expected, 'an array without any')
  const other = flat.find((item) => !isUsableNumber(item))
  if (other === undefined) return flat as number[]
  const [key] = typeof other === 'object' && other !== null ? Object.keys(other) : []
  const orRows = key === undefined ? '' : `, or ${pointerTo(`${path}/*`, key)} for one of each row`
  return problem('type', path, `${expected}${orRows}`, `${describe(other)} among them`)
}
