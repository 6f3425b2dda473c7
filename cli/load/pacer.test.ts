import { expect, test } from 'vitest'
import { pace } from './pacer.ts'

test('a load generator that is slower than its pace is told of many requests at once, and of all', async () => {
  const told: number[] = []
  const isBusy = new Int32Array(new SharedArrayBuffer(4))
  await pace(
    { rate: 100_000, durationMs: 50, spacing: 'even', seed: 1 },
    new AbortController().signal,
    () => {},
    (due) => {
      told.push(due)
      Atomics.wait(isBusy, 0, 0, 1)
    },
  )
  expect(told.at(-1)).toBe(5000)
  expect(told.length).toBeLessThan(2500)
})
