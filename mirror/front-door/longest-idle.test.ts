import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { ClientConnection } from '../wire/client-connection.ts'
import { LongestIdle } from './longest-idle.ts'

/** A client that last had a request at `usedAt`. */
const client = (usedAt: number, isWaiting = true) => ({ usedAt, isWaiting })

const start = 10_000
let nowMs = start

beforeEach(() => {
  nowMs = start
  const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => now.mockRestore())
})

const longestIdleOf = (clients: ReturnType<typeof client>[]) =>
  new LongestIdle(clients as unknown as Iterable<ClientConnection>)

test('clients are taken from the longest idle on, 64 at once, in whatever order they came', () => {
  // 7 has no factor in common with 200
  const clients = Array.from({ length: 200 }, (_, i) => client((i * 7) % 200))
  const longestIdle = longestIdleOf(clients)
  const taken: number[][] = [[]]
  while (taken.flat().length < 200 && taken.length < 10) {
    const next = longestIdle.take()
    if (next) {
      taken.at(-1)!.push(next.usedAt)
      // it is closed
      Object.assign(next, { isWaiting: false })
    } else {
      nowMs += 10
      taken.push([])
    }
  }
  expect(taken.map(({ length }) => length)).toEqual([64, 64, 64, 8])
  expect(taken.flat()).toEqual(Array.from({ length: 200 }, (_, i) => i))
  nowMs += 10
  expect(longestIdle.take()).toBe(undefined)
})

test('a client with a request under way is not taken', () => {
  expect(longestIdleOf([client(1, false), client(2), client(3, false)]).take()).toMatchObject({ usedAt: 2 })
})

test('nor is one that had a request since it was found', () => {
  const [longest, asking, asked, other] = [client(1), client(2), client(3), client(4)]
  const longestIdle = longestIdleOf([longest, asking, asked, other])
  expect(longestIdle.take()).toBe(longest)
  asking.isWaiting = false
  asked.usedAt = ++nowMs
  expect(longestIdle.take()).toBe(other)
})
