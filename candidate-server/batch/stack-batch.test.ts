import { expect, test } from 'vitest'
import { stackBatch } from './stack-batch.ts'

const request = (rows: number, fill: number) => ({
  rows,
  inputs: { x: { type: 'float32' as const, shape: [rows, 3], data: new Float32Array(rows * 3).fill(fill) } },
})

test('rows follow one another, and zeros fill up what a fixed batch lacks', () => {
  const { x } = stackBatch([request(2, 1), request(1, 2)], 8)
  expect(x!.shape).toEqual([8, 3])
  expect(x!.parts.flatMap((part) => [...(part as Float32Array)])).toEqual([
    ...Array(6).fill(1),
    ...Array(3).fill(2),
    ...Array(15).fill(0),
  ])
})

test('the missing rows of a large fixed batch take the memory of one', () => {
  const { x } = stackBatch([request(1, 1)], 64)
  expect(new Set(x!.parts.map((part) => (part as Float32Array).buffer)).size).toBe(2)
})

test('a request that runs as it is keeps its shape', () => {
  expect(stackBatch([request(2, 1)], undefined)).toEqual({
    x: { type: 'float32', shape: [2, 3], parts: [new Float32Array(6).fill(1)] },
  })
})
