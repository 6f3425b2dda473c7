import { badInput } from '../errors.ts'
import { describeValue } from './describe-value.ts'
import { fitsShape } from './model-info.ts'

/** Limit on a shape's dimensions, and so on the nesting of arrays. */
export const dimensionsMax = 32

/**
 * The shape of a nested JSON array, judged by its first elements; a bare value has the shape []. Empty arrays do not
 * show their inner dimensions: these come from the first entry of `expected` that fits, where -1 matches any size.
 */
export function shapeOfNested(value: unknown, expected: readonly (readonly number[])[] = []): number[] {
  const shape: number[] = []
  for (let at = value; Array.isArray(at); at = at[0]) {
    if (shape.length === dimensionsMax) throw badInput(`expected arrays nested at most ${dimensionsMax} deep`)
    shape.push(at.length)
  }
  if (shape.at(-1) !== 0) return shape
  const whole = expected.map((one) => [...shape, ...one.slice(shape.length)])
  return whole.find((one, i) => !one.includes(-1) && fitsShape(one, expected[i]!)) ?? shape
}

/**
 * Elements of a nested array in row-major order. Throws if any level is ragged; the message contains `name` and the
 * shape that the first elements suggest.
 */
export function flattenNested(
  name: string,
  value: unknown,
  shape: readonly number[] = shapeOfNested(value),
): unknown[] {
  if (shape.length === 0) return [value]
  if (shape.length === 1 && isFlat(value, shape[0]!)) return value
  const flat: unknown[] = []
  const at: number[] = []
  const ragged = (expected: string, got: unknown) => {
    const path = at.map((index) => `[${index}]`).join('')
    return badInput(`${name}${path}: expected ${expected}, got ${got}: the array is ragged`)
  }
  const walk = (node: unknown, depth: number): void => {
    const size = shape[depth]!
    if (!Array.isArray(node) || node.length !== size) {
      const got = Array.isArray(node) ? node.length : describeValue(node)
      throw ragged(`an array of ${size} as in its neighbours`, got)
    }
    const innermost = depth === shape.length - 1
    for (let i = 0; i < size; i++) {
      at[depth] = i
      const element: unknown = node[i]
      if (!innermost) walk(element, depth + 1)
      else if (Array.isArray(element)) throw ragged('one element', 'an array')
      else flat.push(element)
    }
    at.length = depth
  }
  walk(value, 0)
  return flat
}

const isFlat = (value: unknown, size: number): value is unknown[] =>
  Array.isArray(value) && value.length === size && !value.some(Array.isArray)

/** Folds row-major elements into nested arrays; the shape [] returns the bare element. */
export function nest(elements: unknown[], shape: readonly number[]): unknown {
  if (shape.length === 0) return elements[0]
  if (shape.length === 1) return elements
  const [size, ...rest] = shape as [number, ...number[]]
  const step = rest.reduce((product, length) => product * length, 1)
  return Array.from({ length: size }, (_, i) => nest(elements.slice(i * step, (i + 1) * step), rest))
}
