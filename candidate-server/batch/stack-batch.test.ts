import { expect, test } from 'vitest'
import { splitBatch } from './stack-batch.ts'

test('an answer holds no memory of padding rows', () => {
  const one = { rows: 1, inputs: {} }
  const outputs = {
    y: { type: 'float32' as const, shape: [1000, 2], data: Float32Array.from({ length: 2000 }, (_, i) => i) },
  }
  const [first, second] = splitBatch([one, one], outputs, 1000)!
  expect([first!.y!.data, second!.y!.data]).toEqual([Float32Array.of(0, 1), Float32Array.of(2, 3)])
  for (const { y } of [first!, second!]) expect((y!.data as Float32Array).buffer.byteLength).toBe(8)
})
