import { EventEmitter } from 'node:events'
import type { Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { acceptWaiting } from './accept-waiting.ts'

test('accepts as long as each turn brings another one, within its limit', async () => {
  const server = new EventEmitter() as Server
  let accepted = 0
  const acceptUpTo = async (count: number, limitMs: number) => {
    accepted = 0
    let isOver = false
    const over = acceptWaiting(server, limitMs).then(() => {
      isOver = true
    })
    for (; !isOver; await nextTurn()) if (accepted < count) server.emit('connection', ++accepted)
    await over
    return accepted
  }
  expect(await acceptUpTo(20, 60_000)).toBe(20)
  expect(await acceptUpTo(1_000, 0)).toBeLessThan(10)
})
