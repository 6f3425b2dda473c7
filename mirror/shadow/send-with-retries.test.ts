import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { type FakeUpstream, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { queueUnderTest } from '../testing/queue-under-test.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { sendWithRetries } from './send-with-retries.ts'

/** Breaks the connections of its first requests, each after `breakAfterMs`, then answers. */
async function breaking(times: number, breakAfterMs = 0): Promise<FakeUpstream> {
  let count = 0
  return fakeUpstream((request, response) => {
    request.resume()
    if (count++ < times) setTimeout(() => request.socket.destroy(), breakAfterMs)
    else response.end('{}')
  })
}

test.each(['GET', 'POST'])('without retries a %s is never sent again, on any connection', async (method) => {
  let count = 0
  const upstream = await fakeUpstream((request, response) => {
    request.resume()
    // the second one comes on a connection that served before
    if (count++ === 0) response.end('{}')
    else request.socket.destroy()
  })
  const { offer, kinds } = queueUnderTest(upstream.url, { concurrency: 1 })
  for (let i = 1; i <= 3; i++) {
    offer('/p', method)
    await waitFor('the outcome', () => kinds().length === i)
  }
  expect([kinds(), upstream.heads.length]).toEqual([['answered', 'reset', 'reset'], 3])
})

test('a broken connection is retried as often as configured; the upstream is timed from the last attempt', async () => {
  const upstream = await breaking(2, 100)
  const { queue, offer, outcomes } = queueUnderTest(upstream.url, { retries: 2 })
  const offeredAt = performance.now()
  offer()
  await waitFor('the outcome', () => outcomes.length === 1)
  const elapsedMs = performance.now() - offeredAt
  const [{ kind, queuedMs, totalMs }] = outcomes as [(typeof outcomes)[0]]
  expect([kind, upstream.heads.length, queue.inFlight]).toEqual(['answered', 3, 0])
  // two attempts and their pauses, less 1 ms that timers may round off
  const lostMs = 2 * 99 + 24 + 49
  expect(queuedMs).toBeGreaterThan(lostMs)
  expect(totalMs).toBeLessThan(elapsedMs - lostMs)
})

test('an upstream that returns in time is reached; otherwise its last failure stands', async () => {
  const upstream = await breaking(0)
  await upstream.close()
  const { offer, kinds } = queueUnderTest(upstream.url, { retries: 5 })
  offer()
  const back = await fakeUpstream(
    (request, response) => request.resume().on('end', () => response.end()),
    upstream.port,
  )
  await waitFor('the outcome', () => kinds().length === 1)
  expect([kinds(), back.heads.length]).toEqual([['answered'], 1])
  await back.close()
  const { offer: offerAgain, kinds: kindsAgain } = queueUnderTest(upstream.url, { retries: 1 })
  offerAgain()
  await waitFor('the outcome', () => kindsAgain().length === 1)
  expect(kindsAgain()).toEqual(['refused'])
})

test.each([
  ['was answered', '/busy', 'answered', 60_000],
  ['had begun to be', '/half', 'reset', 60_000],
  ['timed out', '/hang', 'timedOut', 500],
])('a request that %s is never sent again', async (_, path, kind, deadlineMs) => {
  const upstream = await fakeUpstream((request, response) => {
    if (request.url === '/hang') return hanging(request, response)
    request.resume()
    if (request.url === '/busy') response.writeHead(503).end()
    else response.writeHead(200, { 'content-length': '9' }).write('half', () => request.socket.destroy())
  })
  const { offer, kinds } = queueUnderTest(upstream.url, { retries: 5, deadlineMs })
  offer(path)
  await waitFor('the outcome', () => kinds().length === 1)
  expect(kinds()).toEqual([kind])
  // on a machine that stalls, it may time out before it is sent
  expect(upstream.heads.length).toBeLessThan(2)
})

test('one deadline covers all attempts', async () => {
  let now = 0
  const clock = { ...systemClock, monotonic: () => now }
  const breaker = new CircuitBreaker({ failures: 0, cooldownMs: 1000 }, clock, () => {})
  const deadlines: number[] = []
  const lostMs = await new Promise((resolve) => {
    const attempt = (deadlineMs: number, ended: (outcome: LegOutcome) => void) => {
      deadlines.push(deadlineMs)
      now += 900
      ended({ kind: 'reset', totalMs: 900 })
      return () => {}
    }
    const options = { retries: 5, deadlineMs: 2000, breaker, clock }
    sendWithRetries(attempt, breaker.enter()!, options, (_, lostMs) => resolve(lostMs))
  })
  expect([deadlines, lostMs]).toEqual([[2000, 1100, 200], 1800])
})

test('the pauses between attempts double, and one that would pass the deadline is not waited for', () => {
  vi.useFakeTimers({ now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const clock = { now: Date.now, monotonic: Date.now }
  const breaker = new CircuitBreaker({ failures: 0, cooldownMs: 1000 }, clock, () => {})
  const begunAt: number[] = []
  const attempt = (_: number, ended: (outcome: LegOutcome) => void) => {
    begunAt.push(Date.now())
    ended({ kind: 'reset', totalMs: 0 })
    return () => {}
  }
  const endedAt: number[] = []
  const options = { retries: 9, deadlineMs: 375, breaker, clock }
  sendWithRetries(attempt, breaker.enter()!, options, () => endedAt.push(Date.now()))
  vi.runAllTimers()
  // the next pause would be one of 200 ms
  expect([begunAt, endedAt]).toEqual([[0, 25, 75, 175], [175]])
})

test('a breaker that opens ends the attempts', async () => {
  const upstream = await breaking(100)
  const { queue, offer, kinds } = queueUnderTest(upstream.url, {
    retries: 5,
    breaker: { failures: 2, cooldownMs: 60_000 },
  })
  offer()
  await waitFor('the outcome', () => kinds().length === 1)
  expect([kinds(), upstream.heads.length, queue.isBreakerOpen]).toEqual([['reset'], 2, true])
})

test('a queue that closes sheds requests that pause between attempts', async () => {
  const upstream = await breaking(100)
  const { queue, offer, kinds } = queueUnderTest(upstream.url, { retries: 10, deadlineMs: 60_000 })
  offer()
  await waitFor('the fourth attempt', () => upstream.heads.length === 4)
  await queue.close()
  expect([kinds(), queue.inFlight]).toEqual([['shed'], 0])
})
