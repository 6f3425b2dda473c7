import { badInput } from '../errors.ts'
import { describeValue } from './describe-value.ts'
import { jsonOfBigInt, shortestFloat32 } from './json-number.ts'
import { formatShape } from './model-info.ts'
import { type ElementType, elementCount, elementTypes, type NumericArray, type Tensor } from './tensor.ts'

const integerRanges: Partial<Record<ElementType, [number, number]>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
}
const bigRanges: Partial<Record<ElementType, [bigint, bigint]>> = {
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
}

/** Whether numbers of this type may lose digits when JSON is parsed. */
export const needsAllDigits = (type: ElementType) => type in bigRanges

/**
 * Converts JSON elements to a tensor of `type`. Throws on a wrong count, a wrong kind of value, or a value out of
 * range.
 */
export function tensorOfElements(name: string, type: ElementType, shape: number[], elements: unknown[]): Tensor {
  const count = elementCount(shape)
  if (elements.length !== count) {
    throw badInput(`${name}: expected ${count} elements for the shape ${formatShape(shape)}, got ${elements.length}`)
  }
  const data = type === 'string' ? (elements as string[]) : new elementTypes[type].array(count)
  const wrong = type === 'string' ? elements.findIndex(isInvalidText) : fill(type, data as NumericArray, elements)
  if (wrong >= 0) {
    throw badInput(
      `${name}: expected ${expectationOf(type)}, got ${describeValue(elements[wrong])} at element ${wrong}`,
    )
  }
  return { type, shape, data }
}

// the runtime ends a text at its first NUL, and stores UTF-8, which cannot encode a lone surrogate
const isInvalidText = (element: unknown) =>
  typeof element !== 'string' || element.includes('\0') || !element.isWellFormed()

/** Returns the index of the first element that the type cannot hold; -1 if there is none. */
function fill(type: ElementType, data: NumericArray, elements: unknown[]): number {
  if (type.startsWith('float')) return fillFloats(data as Float64Array, elements)
  const range = integerRanges[type]
  if (range) return fillIntegers(data as Int32Array, elements, range)
  const bigRange = bigRanges[type]
  if (bigRange) return fillBigIntegers(data as BigInt64Array, elements, bigRange)
  return fillBooleans(data as Uint8Array, elements)
}

function fillFloats(data: Float64Array, elements: unknown[]): number {
  for (let i = 0; i < elements.length; i++) {
    const value = elements[i]
    if (typeof value !== 'number') return i
    data[i] = value
    // a number out of the type's range has become infinite
    if (!Number.isFinite(data[i])) return i
  }
  return -1
}

function fillIntegers(data: Int32Array, elements: unknown[], [min, max]: [number, number]): number {
  for (let i = 0; i < elements.length; i++) {
    const value = elements[i]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) return i
    data[i] = value
  }
  return -1
}

function fillBigIntegers(data: BigInt64Array, elements: unknown[], [min, max]: [bigint, bigint]): number {
  for (let i = 0; i < elements.length; i++) {
    const value = elements[i]
    const exact =
      (typeof value === 'number' && Number.isSafeInteger(value)) ||
      (typeof value === 'string' && /^-?\d{1,20}$/.test(value))
    if (!exact) return i
    const big = BigInt(value as number | string)
    if (big < min || big > max) return i
    data[i] = big
  }
  return -1
}

function fillBooleans(data: Uint8Array, elements: unknown[]): number {
  for (let i = 0; i < elements.length; i++) {
    const value = elements[i]
    if (typeof value !== 'boolean' && value !== 0 && value !== 1) return i
    data[i] = Number(value)
  }
  return -1
}

function expectationOf(type: ElementType): string {
  if (type === 'string') return 'strings of whole characters, without NUL'
  const range = integerRanges[type]
  if (range) return `${type}, whole numbers from ${range[0]} to ${range[1]}`
  const bigRange = bigRanges[type]
  if (bigRange) return `${type}, whole numbers from ${bigRange[0]} to ${bigRange[1]}`
  return type === 'bool' ? 'booleans' : `${type}, finite numbers`
}

/**
 * Elements as JSON values: float32 with the fewest digits that read back the same, whole numbers beyond 2^53 with all
 * their digits, and null for NaN and infinities, which JSON lacks.
 */
export function toJsonElements({ type, data }: Tensor): unknown[] {
  if (type === 'string') return data as string[]
  if (type === 'float32') return Array.from(data as Float32Array, shortestFloat32)
  if (type === 'bool') return Array.from(data as Uint8Array, (bit) => bit !== 0)
  if (type === 'int64' || type === 'uint64') return Array.from(data as BigInt64Array, jsonOfBigInt)
  return Array.from(data as Float64Array)
}
