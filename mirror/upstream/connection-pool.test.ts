import { expect, onTestFinished, test, vi } from 'vitest'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { ConnectionPool } from './connection-pool.ts'
import { parseTarget } from './target.ts'
import type { ResponseSink, UpstreamConnection } from './upstream-connection.ts'

/**
 * A pool whose clock the test controls, to an upstream that answers with these headers; `ask` says which connection was
 * used.
 */
async function setUp(headers: string) {
  const upstream = await tcpUpstream((socket) => {
    socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${headers}\r\nok`))
  })
  const pool = new ConnectionPool(parseTarget(upstream.url))
  // an integer, so that sums are exact
  const start = Math.floor(performance.now())
  const now = vi.spyOn(performance, 'now').mockReturnValue(start)
  const random = vi.spyOn(Math, 'random').mockReturnValue(1)
  onTestFinished(() => {
    now.mockRestore()
    random.mockRestore()
    pool.close()
  })
  let passedMs = 0
  const pass = (ms: number) => {
    passedMs += ms
    now.mockReturnValue(start + passedMs)
  }
  const ask = (slowClientMs = 0) =>
    new Promise<UpstreamConnection>((resolve, reject) => {
      const connection = pool.take()
      const nothing = () => {}
      const others = { interim: nothing, head: nothing, data: nothing, flush: nothing, drained: nothing }
      // no client keeps up with the end of its answer
      const raw = () => connection.pause()
      const sink: ResponseSink = { ...others, raw, end: () => resolve(connection), failed: reject }
      connection.begin('GET', sink)
      connection.sendHead('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
      connection.requestSent()
      if (slowClientMs === 0) return
      connection.pause()
      pass(slowClientMs)
      connection.resume()
    })
  return { ask, pass, random }
}

const forLong = 'Keep-Alive: timeout=600\r\n'

test.each([
  ['nothing of it', '', 1500],
  ['a time shorter than ours', 'Keep-Alive: timeout=2\r\n', 1000],
  ['a time among others', 'Keep-Alive: max=100, timeout=3\r\n', 2000],
  ['a time longer than ours', forLong, 4000],
  ['no time', 'Keep-Alive: max=100\r\n', 1500],
])('an idle connection to an upstream that says %s of when it closes it is reused in time only', async (...of) => {
  const [, headers, keptMs] = of
  const { ask, pass } = await setUp(headers)
  const first = await ask()
  pass(keptMs - 1)
  expect(await ask()).toBe(first)
  pass(keptMs)
  expect(await ask()).not.toBe(first)
  expect(first.isUsable).toBe(false)
})

test('time that a slow client holds up an answer counts as idle: the upstream may have sent it long ago', async () => {
  const { ask, pass } = await setUp(forLong)
  const first = await ask(3000)
  pass(999)
  const second = await ask()
  expect(second).toBe(first)
  // nothing of the previous answer's time is carried over
  pass(3999)
  expect(await ask(4000)).toBe(first)
  expect(await ask()).not.toBe(first)
})

test('a connection that its upstream keeps for a second or less is not reused', async () => {
  const { ask } = await setUp('Keep-Alive: timeout=1\r\n')
  const first = await ask()
  expect([(await ask()) === first, first.isUsable]).toEqual([false, false])
})

test('connections that fall idle are closed in time though nobody asks for them, and only those', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ask, pass } = await setUp(forLong)
  for (let peak = 0; peak < 2; peak++) {
    const pair = await Promise.all([ask(), ask()])
    pass(1000)
    const late = await ask()
    const early = pair.find((one) => one !== late)!
    const open = async () => {
      vi.advanceTimersByTime(1000)
      // the pool hears of what it has closed
      await new Promise((resolve) => setImmediate(resolve))
      return [early.isUsable, late.isUsable]
    }
    expect(await open()).toEqual([true, true])
    pass(3000)
    expect(await open()).toEqual([false, true])
    expect(await ask()).toBe(late)
    pass(4000)
    expect(await open()).toEqual([false, false])
    expect(vi.getTimerCount()).toBe(0)
  }
})

test('a connection that is never idle is closed after a minute: its name may have moved', async () => {
  const { ask, pass } = await setUp(forLong)
  const first = await ask()
  for (let i = 0; i < 20; i++) {
    pass(3000)
    expect((await ask()) === first).toBe(true)
  }
  expect(await ask()).not.toBe(first)
})

test('connections made at the same time are not all closed at the same time', async () => {
  const { ask, pass, random } = await setUp(forLong)
  random.mockReturnValue(0)
  const first = await ask()
  for (let i = 0; i < 15; i++) {
    pass(3000)
    expect((await ask()) === first).toBe(true)
  }
  expect(await ask()).not.toBe(first)
})
