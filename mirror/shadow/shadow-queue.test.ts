import { expect, onTestFinished, test, vi } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { queueUnderTest } from '../testing/queue-under-test.ts'
import { rawUpstream } from '../testing/raw-upstream.ts'

test('at most `concurrency` are in flight, at most `queueMax` wait, and the rest are shed at once', async () => {
  const upstream = await fakeUpstream(hanging)
  const { queue, offer, kinds } = queueUnderTest(upstream.url)
  for (let i = 0; i < 8; i++) offer()
  expect([queue.inFlight, queue.waiting, kinds()]).toEqual([2, 3, ['shed', 'shed', 'shed']])
  await waitFor('requests at the upstream', () => upstream.heads.length === 2)
  expect(upstream.heads.length).toBe(2)
  await queue.close()
  expect(kinds()).toEqual(Array(8).fill('shed'))
  offer()
  expect(kinds().length).toBe(9)
})

test('a full queue that sheds its oldest admits each newcomer, and a queue of size 0 sheds newcomers', async () => {
  const upstream = await fakeUpstream(hanging)
  const oldest = queueUnderTest(upstream.url, { concurrency: 1, queueMax: 2, shed: 'oldest' })
  for (let i = 0; i < 5; i++) oldest.offer(`/${i}`)
  expect([oldest.queue.inFlight, oldest.queue.waiting]).toEqual([1, 2])
  expect(oldest.ends).toEqual([
    { path: '/1', kind: 'shed' },
    { path: '/2', kind: 'shed' },
  ])
  const none = queueUnderTest(upstream.url, { concurrency: 1, queueMax: 0, shed: 'oldest' })
  for (let i = 0; i < 2; i++) none.offer(`/${i}`)
  expect([none.queue.inFlight, none.queue.waiting, none.ends]).toEqual([1, 0, [{ path: '/1', kind: 'shed' }]])
})

test('waiting requests are sent in order, and their waiting time is reported separately', async () => {
  const upstream = await fakeUpstream((request, response) => {
    request.resume()
    setTimeout(() => response.end('{}'), 50)
  })
  const { offer, outcomes, kinds } = queueUnderTest(upstream.url, { concurrency: 1 })
  for (let i = 0; i < 4; i++) offer(`/${i}`)
  await waitFor('all', () => outcomes.length === 4)
  expect(kinds()).toEqual(Array(4).fill('answered'))
  expect(upstream.heads.map(({ url }) => url)).toEqual(['/0', '/1', '/2', '/3'])
  expect(outcomes[0]!.queuedMs).toBe(0)
  expect(outcomes[3]!.queuedMs).toBeGreaterThan(outcomes[1]!.queuedMs!)
  expect(outcomes[3]!.queuedMs).toBeGreaterThan(100)
})

test('a deadline ends a sent request as timedOut, and an unsent one as shed', async () => {
  const upstream = await fakeUpstream(hanging)
  const { offer, outcomes, kinds, queue } = queueUnderTest(upstream.url, {
    concurrency: 1,
    deadlineMs: 150,
    // twice as fast as the timers, so that the waiting one is over its time when its turn comes
    clock: { now: Date.now, monotonic: () => performance.now() * 2 },
  })
  offer()
  offer()
  await waitFor('both', () => outcomes.length === 2)
  expect(kinds().sort()).toEqual(['shed', 'timedOut'])
  expect([queue.inFlight, queue.waiting]).toEqual([0, 0])
})

test('a request whose time is over when its turn comes is not sent', async () => {
  let answer = () => {}
  const upstream = await fakeUpstream((_request, response) => {
    answer = () => response.end('{}')
  })
  const ahead = { ms: 0 }
  const clock = { now: Date.now, monotonic: () => performance.now() + ahead.ms }
  const { offer, outcomes, kinds } = queueUnderTest(upstream.url, { concurrency: 1, deadlineMs: 600_000, clock })
  offer()
  offer()
  await waitFor('the first at the upstream', () => upstream.heads.length === 1)
  // as after a pause of the whole machine, in which no timer ran
  ahead.ms = 600_000
  answer()
  await waitFor('both', () => outcomes.length === 2)
  expect([kinds(), upstream.heads.length]).toEqual([['answered', 'shed'], 1])
})

test('a deadline also ends a body that trickles in', async () => {
  const upstream = await fakeUpstream((request, response) => {
    request.resume()
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  })
  // or a machine that stalls might pass the deadline before the body begins
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { offer, outcomes, budget } = queueUnderTest(upstream.url, { deadlineMs: 200 })
  offer()
  const heldMore = async (than: number) => {
    while (budget.held <= than) await new Promise((resolve) => setImmediate(resolve))
    return budget.held
  }
  await heldMore(await heldMore(0))
  vi.advanceTimersByTime(200)
  // what has arrived is read first
  await new Promise((resolve) => setImmediate(resolve))
  expect(outcomes[0]).toMatchObject({ kind: 'timedOut', fields: expect.anything() })
  expect(budget.held).toBe(0)
})

test('a response beyond the limit is tooLarge, and the rest is not read', async () => {
  const upstream = await fakeUpstream(answering(Buffer.alloc(5_000_000), { 'x-model-version': '3' }))
  const { offer, outcomes, budget } = queueUnderTest(upstream.url)
  offer()
  await waitFor('the outcome', () => outcomes.length === 1)
  expect(outcomes[0]).toMatchObject({
    kind: 'tooLarge',
    fields: expect.arrayContaining([expect.objectContaining({ name: 'x-model-version', value: '3' })]),
  })
  expect(budget.held).toBe(0)
})

test('a path that cannot be sent is our fault, not the candidate’s', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const { offer, kinds } = queueUnderTest(upstream.url)
  offer('/with space')
  expect(kinds()).toEqual(['shed'])
})

test('any number of waiting requests use no stack when their turn comes', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const { offer, kinds } = queueUnderTest(upstream.url, { concurrency: 1, queueMax: 20_000 })
  for (let i = 0; i <= 20_000; i++) offer(i === 0 ? '/sent' : '/with space')
  await waitFor('all', () => kinds().length > 20_000)
  expect(kinds()).toEqual(['answered', ...Array(20_000).fill('shed')])
})

test('a response whose Content-Length is beyond the limit is tooLarge by its head alone', async () => {
  const upstream = await fakeUpstream((_incoming, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 }).flushHeaders()
  })
  const { offer, kinds } = queueUnderTest(upstream.url, { deadlineMs: 60_000 })
  offer()
  await waitFor('the outcome', () => kinds().length === 1)
  expect(kinds()).toEqual(['tooLarge'])
})

test('a response in too many chunks is tooLarge however small it is, one in many is not', async () => {
  const chunked = (count: number) =>
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`
  const upstream = await rawUpstream((request) => chunked(request.includes('/200000') ? 200_000 : 20_000))
  const { offer, outcomes, budget } = queueUnderTest(upstream.url, {
    responseBytesMax: 1e6,
    concurrency: 1,
    deadlineMs: 60_000,
  })
  offer('/200000')
  offer('/20000')
  await waitFor('both', () => outcomes.length === 2)
  expect(outcomes.map(({ kind }) => kind)).toEqual(['tooLarge', 'answered'])
  expect(budget.held).toBe(0)
})

test('a breaker that opens sheds waiting and new requests, and one probe after its cooldown decides', async () => {
  const gone = await fakeUpstream(answering('{}'))
  await gone.close()
  const ahead = { ms: 0 }
  const clock = { now: Date.now, monotonic: () => performance.now() + ahead.ms }
  const breaker = { failures: 2, cooldownMs: 1_000_000 }
  const { queue, offer, kinds } = queueUnderTest(gone.url, { concurrency: 1, breaker, clock, deadlineMs: 2_000_000 })
  for (let i = 0; i < 4; i++) offer()
  await waitFor('all', () => kinds().length === 4)
  expect(kinds().sort()).toEqual(['refused', 'refused', 'shed', 'shed'])
  offer()
  expect([queue.isBreakerOpen, queue.inFlight, queue.waiting, kinds().at(-1)]).toEqual([true, 0, 0, 'shed'])

  const back = await fakeUpstream(answering('{}'), gone.port)
  ahead.ms += breaker.cooldownMs
  offer()
  offer()
  expect([queue.isBreakerOpen, queue.inFlight, queue.waiting, kinds().at(-1)]).toEqual([true, 1, 0, 'shed'])
  await waitFor('the probe', () => kinds().length === 7)
  expect([queue.isBreakerOpen, kinds().at(-1)]).toEqual([false, 'answered'])
  offer()
  offer()
  await waitFor('the rest', () => kinds().length === 9)
  expect([kinds().slice(-2), back.heads.length]).toEqual([['answered', 'answered'], 3])
})

test('a probe that is no longer needed leaves its place to the next request', async () => {
  const gone = await fakeUpstream(answering('{}'))
  await gone.close()
  const ahead = { ms: 0 }
  const clock = { now: Date.now, monotonic: () => performance.now() + ahead.ms }
  const breaker = { failures: 1, cooldownMs: 1_000_000 }
  const { queue, offer, kinds } = queueUnderTest(gone.url, { breaker, clock })
  offer()
  await waitFor('the breaker to open', () => queue.isBreakerOpen)
  await fakeUpstream(answering('{}'), gone.port)
  ahead.ms += breaker.cooldownMs
  const ends: string[] = []
  queue.offer(
    () => undefined,
    ({ kind }) => ends.push(kind),
  )
  expect(ends).toEqual(['shed'])
  offer()
  await waitFor('the probe', () => kinds().length === 2)
  expect([queue.isBreakerOpen, kinds()]).toEqual([false, ['refused', 'answered']])
})
