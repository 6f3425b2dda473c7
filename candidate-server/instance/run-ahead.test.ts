import { expect, test } from 'vitest'
import type { RunResult } from './instance-process.ts'
import { RunAhead } from './run-ahead.ts'

const done = (inferMs: number): RunResult => ({ kind: 'done', outputs: {}, waitedMs: 0, inferMs, rssBytes: 0 })
const unending = () => new Promise<RunResult>(() => {})

test('a batch is sent ahead only if runs are short and the current one is not late', () => {
  const ahead = new RunAhead()
  ahead.runBegan(0)
  expect(ahead.mayBegin(0)).toBe(false)
  ahead.runEnded(1_000, done(100))
  expect(ahead.freeAt).toBe(1_100)
  expect(ahead.mayBegin(1_200)).toBe(true)
  expect(ahead.mayBegin(1_201)).toBe(false)
  ahead.runBegan(2_000)
  expect(ahead.mayBegin(2_000)).toBe(true)
  ahead.runEnded(2_200, { kind: 'failed', message: 'refused' })
  expect(ahead.mayBegin(2_200)).toBe(true)
  ahead.runEnded(2_400, done(101))
  expect(ahead.mayBegin(2_400)).toBe(false)
})

test('a batch behind a run that is a second late can be taken back, and was then not run', async () => {
  const ahead = new RunAhead()
  ahead.runEnded(0, done(50))
  expect(ahead.takeBackAt).toBeUndefined()
  const waiting = ahead.begin(unending())
  expect(ahead.takeBackAt).toBe(1_050)
  ahead.takeBack()
  expect(await waiting).toEqual({ kind: 'notRun' })
  expect(ahead.takeBackAt).toBeUndefined()
})

test('a batch whose turn has come is not taken back', async () => {
  const ahead = new RunAhead()
  const own = Promise.withResolvers<RunResult>()
  const running = ahead.begin(own.promise)
  ahead.runEnded(0, done(50))
  expect(ahead.takeBackAt).toBeUndefined()
  ahead.takeBack()
  own.resolve(done(60))
  expect(await running).toEqual(done(60))
})
