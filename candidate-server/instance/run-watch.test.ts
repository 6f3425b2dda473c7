import { expect, onTestFinished, test, vi } from 'vitest'
import { type RunLimit, type RunLimits, RunWatch } from './run-watch.ts'

function watched(limits: RunLimits) {
  vi.useFakeTimers()
  const over: RunLimit[] = []
  const watch = new RunWatch(limits, (limit) => over.push(limit))
  onTestFinished(() => {
    watch.end()
    vi.useRealTimers()
  })
  const run = (ms: number) => {
    watch.beginRun(process.pid)
    vi.advanceTimersByTime(ms)
    watch.endRun()
  }
  return { watch, over, run }
}

test('consecutive short runs are watched as if they were one', () => {
  const { over, run } = watched({ timeoutMs: 60_000, rssBytesMax: 1 })
  run(60)
  expect(over).toEqual([])
  run(60)
  expect(over).toEqual(['limits.runRssMax'])
})

test('between runs no limit applies, and nothing is watched', () => {
  const { over, run } = watched({ timeoutMs: 200, rssBytesMax: 1 })
  run(60)
  vi.advanceTimersByTime(1_000)
  expect(over).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('each run has its own time limit', () => {
  const { over, run } = watched({ timeoutMs: 200, rssBytesMax: 'none' })
  for (let i = 0; i < 5; i++) run(150)
  expect(over).toEqual([])
  run(250)
  expect(over).toEqual(['limits.runTimeout'])
  expect(vi.getTimerCount()).toBe(0)
})
