import { expect, test } from 'vitest'
import { keptBytesMax } from './exchange-file.ts'
import { InputMemory } from './input-memory.ts'

test('is reused if it is large enough, and released after a large run', () => {
  const memory = new InputMemory()
  const first = memory.take(1000)
  memory.settle()
  expect(memory.take(500).buffer).toBe(first.buffer)
  const large = memory.take(keptBytesMax + 1)
  expect(memory.heldBytes).toBe(keptBytesMax + 1)
  memory.settle()
  expect([memory.heldBytes, large.byteLength]).toEqual([0, 0])
  expect(memory.take(10).byteLength).toBeGreaterThanOrEqual(10)
})
