import { expect, test } from 'vitest'
import { elementTypes, type Tensor } from '../tensor/tensor.ts'
import { isRowSame, isRowSameElsewhere } from './same-rows.ts'

/** float16 values as raw bits, as the runtime returns them. */
const halves = (...values: number[]): Tensor => {
  const { buffer } = elementTypes.float16.array.from(values)
  return { type: 'float16', shape: [values.length, 1], data: new Uint16Array(buffer) } as unknown as Tensor
}
const floats = (...values: number[]): Tensor => ({
  type: 'float32',
  shape: [values.length, 1],
  data: Float32Array.from(values),
})
const isSame = (a: Tensor, b: Tensor, row: number) => isRowSame({ y: a }, { y: b }, row)

test('rows are equal except for differences from the order of addition', () => {
  expect(isSame(floats(1, 2), floats(1.0001, 9), 0)).toBe(true)
  expect(isSame(floats(1, 2), floats(1.01, 2), 0)).toBe(false)
  expect(isSame(floats(1, 2), floats(1, 9), 1)).toBe(false)
  expect(isSame(floats(Number.NaN), floats(Number.NaN), 0)).toBe(true)
  expect(isSame(floats(Infinity), floats(Infinity), 0)).toBe(true)
  expect(isSame(floats(Infinity), floats(-Infinity), 0)).toBe(false)
  expect(isSame(floats(Infinity), floats(1), 0)).toBe(false)
  expect(isSame(floats(1000), floats(1000.5), 0)).toBe(true)
  expect(isSame(floats(0.001), floats(0.0012), 0)).toBe(false)
})

test('rows that differ in one output of several differ', () => {
  expect(isRowSame({ y: floats(1), z: floats(1) }, { y: floats(1), z: floats(2) }, 0)).toBe(false)
})

test('rows of different widths differ', () => {
  expect(isSame({ ...floats(1), shape: [1, 1] }, { ...floats(1, 2), shape: [1, 2] }, 0)).toBe(false)
})

test('float16 rows are compared by value', () => {
  expect(isSame(halves(1), halves(1.014), 0)).toBe(false)
  expect(isSame(halves(1), halves(1.0005), 0)).toBe(true)
  expect(isSame(halves(0), halves(-0), 0)).toBe(true)
})

test.each([
  ['int32', Int32Array.of(5000, 7), Int32Array.of(5001, 7)],
  ['int64', BigInt64Array.of(5000n, 7n), BigInt64Array.of(5001n, 7n)],
  ['string', ['a', 'c'], ['b', 'c']],
  ['bool', Uint8Array.of(0, 1), Uint8Array.of(1, 1)],
] as const)('a row of %s is the same only if every element is, at another place too', (type, some, others) => {
  const [a, b] = [some, others].map((data) => ({ y: { type, shape: [2, 1], data } as unknown as Tensor }))
  expect([0, 1].map((row) => isRowSame(a!, b!, row))).toEqual([false, true])
  const [c, d] = [some, others].map((data) => ({ y: { type, shape: [1, 2], data } as unknown as Tensor }))
  expect(isRowSameElsewhere(c!, 0, d!, 0)).toBe(false)
  expect(isRowSameElsewhere(c!, 0, c!, 0)).toBe(true)
})

test('at another place errors are measured by the largest element of the row', () => {
  const rows = (...data: number[]): Tensor => ({ type: 'float32', shape: [2, 2], data: Float32Array.from(data) })
  const isSameElsewhere = (a: Tensor, b: Tensor) => isRowSameElsewhere({ y: a }, 0, { y: b }, 1)
  expect(isSameElsewhere(rows(100, 1e-5, 0, 0), rows(0, 0, 100, 2e-5))).toBe(true)
  expect(isSameElsewhere(rows(100, 1, 0, 0), rows(0, 0, 100, 2))).toBe(false)
  expect(isSameElsewhere(rows(Infinity, 1, 0, 0), rows(0, 0, Infinity, 2))).toBe(false)
  expect(isSameElsewhere(rows(Infinity, 1, 0, 0), rows(0, 0, Infinity, 1.0001))).toBe(true)
})
