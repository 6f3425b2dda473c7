import { expect, test } from 'vitest'
import type { ModelInfo } from '../tensor/model-info.ts'
import { emptyTensor } from '../tensor/tensor.ts'
import { groupOf, helps, sizeOf } from './dispatch.ts'

const info: ModelInfo = {
  inputs: [
    { name: 'ids', type: 'int64', shape: [-1, -1] },
    { name: 'image', type: 'float32', shape: [-1, 3, -1, -1] },
  ],
  outputs: [],
  batch: { kind: 'dynamic' },
}
const inputs = { ids: emptyTensor('int64', [4, 17]), image: emptyTensor('float32', [4, 3, 8, 8]) }

test('the size is the length of a row, whatever the number of rows', () => {
  expect(sizeOf({ by: 'length' }, info, inputs)).toBe(17)
  expect(sizeOf({ by: 'length', input: 'image' }, info, inputs)).toBe(3)
  expect(sizeOf({ by: 'length' }, info, { ids: emptyTensor('int64', [4]) })).toBe(1)
})

test('or the number of elements in one row of all inputs', () => {
  expect(sizeOf({ by: 'elements' }, info, inputs)).toBe(17 + 3 * 8 * 8)
})

test('the first group that is large enough takes it', () => {
  const groups = [{ upTo: 32 }, { upTo: 128 }, {}]
  expect([1, 32, 33, 128, 129, 1e6].map((size) => groupOf(groups, size))).toEqual([0, 0, 1, 1, 2, 2])
  expect(groupOf([{ upTo: 32 }], 33)).toBeUndefined()
})

test('an instance helps the groups below its own, nearest first, and other groups only if configured', () => {
  expect(helps('larger', 2, 3)).toEqual([1, 0])
  expect(helps('larger', 0, 3)).toEqual([])
  expect(helps('any', 1, 4)).toEqual([0, 2, 3])
  expect(helps('none', 2, 3)).toEqual([])
})
