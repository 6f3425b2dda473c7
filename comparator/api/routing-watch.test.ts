import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { RoutingWatch } from './routing-watch.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A watch on a routing, and how many of the given number of mirrors that wait for another than `1` it has woken. */
function watched(mirrors: number) {
  const database = { version: '1', reads: 0 }
  const watch = new RoutingWatch(async () => {
    database.reads++
    return database.version
  })
  onTestFinished(() => watch.close())
  let woken = 0
  for (let i = 0; i < mirrors; i++) void watch.next(20_000, '1').then(() => woken++)
  return { database, watch, woken: () => woken }
}

test('a change made here wakes every waiting mirror at once, without a look at the database', async () => {
  const { database, watch, woken } = watched(40)
  await vi.advanceTimersByTimeAsync(0)
  expect(woken()).toBe(0)
  watch.changed()
  await vi.advanceTimersByTimeAsync(0)
  expect(woken()).toBe(40)
  expect(database.reads).toBe(0)
})

test('a change made elsewhere wakes every waiting mirror within 250 ms, by one read for all', async () => {
  const { database, woken } = watched(10)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(woken()).toBe(0)
  const { reads } = database
  database.version = '2'
  await vi.advanceTimersByTimeAsync(250)
  expect(woken()).toBe(10)
  expect(database.reads - reads).toBe(1)
})
