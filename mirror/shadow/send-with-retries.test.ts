import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type FakeUpstream, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { queueUnderTest } from '../testing/queue-under-test.ts'

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
  offer()
  await waitFor('the outcome', () => outcomes.length === 1)
  expect([outcomes[0]!.kind, upstream.heads.length, queue.inFlight]).toEqual(['answered', 3, 0])
  // two attempts and their pauses, less 1 ms that timers may round off
  expect(outcomes[0]!.queuedMs).toBeGreaterThan(2 * 99 + 24 + 49)
  expect(outcomes[0]!.totalMs).toBeLessThan(outcomes[0]!.queuedMs!)
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

test('a request that was answered, had begun to be, or timed out is never sent again', async () => {
  const upstream = await fakeUpstream((request, response) => {
    if (request.url === '/hang') return hanging(request, response)
    request.resume()
    if (request.url === '/busy') response.writeHead(503).end()
    else response.writeHead(200, { 'content-length': '9' }).write('half', () => request.socket.destroy())
  })
  const { offer, ends } = queueUnderTest(upstream.url, { retries: 5, concurrency: 3, deadlineMs: 500 })
  for (const path of ['/busy', '/half', '/hang']) offer(path)
  await waitFor('all', () => ends.length === 3)
  expect(Object.fromEntries(ends.map(({ path, kind }) => [path, kind]))).toEqual({
    '/busy': 'answered',
    '/half': 'reset',
    '/hang': 'timedOut',
  })
  expect(upstream.heads.length).toBe(3)
})

test('one deadline covers all attempts', async () => {
  let count = 0
  const upstream = await fakeUpstream((request) => {
    request.resume()
    if (count++ === 0) setTimeout(() => request.socket.destroy(), 1000)
  })
  const { offer, outcomes } = queueUnderTest(upstream.url, { retries: 5, deadlineMs: 2000 })
  offer()
  await waitFor('the outcome', () => outcomes.length === 1)
  const [{ kind, totalMs, queuedMs }] = outcomes as [(typeof outcomes)[0]]
  expect([kind, upstream.heads.length]).toEqual(['timedOut', 2])
  // timers may fire up to 2 ms before their time
  expect(queuedMs).toBeGreaterThan(998)
  expect(totalMs + queuedMs!).toBeGreaterThan(1997)
  // one deadline for each would end the second one 2 s after it began
  expect(totalMs).toBeLessThan(1997)
})

test('no attempt begins if its pause would pass the deadline', async () => {
  const upstream = await breaking(100)
  const { offer, kinds } = queueUnderTest(upstream.url, { retries: 5, deadlineMs: 20 })
  offer()
  await waitFor('the outcome', () => kinds().length === 1)
  // on a machine that stalls the first attempt may itself run out of time
  expect(['reset', 'timedOut']).toContain(kinds()[0])
  expect(upstream.heads.length).toBeLessThan(2)
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
  const { queue, offer, kinds } = queueUnderTest(upstream.url, { retries: 5 })
  offer()
  await waitFor('the fourth attempt', () => upstream.heads.length === 4)
  await queue.close()
  expect([kinds(), queue.inFlight]).toEqual([['shed'], 0])
})
