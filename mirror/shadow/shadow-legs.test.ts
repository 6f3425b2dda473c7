import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, route, send, skippedOf } from '../testing/mirror-under-test.ts'
import { promoted } from '../testing/promoted.ts'

const comparatorSection = (url: string) => ({ url, token: 't' })

test('several candidates, each with its own coding, are observed like the plain primary', async () => {
  const text = '{"predictions":[0.25,0.75]}'
  const codings = { gzip: gzipSync(text), br: brotliCompressSync(text), zstd: zstdCompressSync(text) }
  const primary = await fakeUpstream(answering(text))
  const comparator = await fakeComparator()
  const candidates = await Promise.all(
    Object.entries(codings).map(async ([coding, body]) => {
      const { url } = await fakeUpstream(answering(body, { 'content-encoding': coding }))
      return { validation: coding, url }
    }),
  )
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: comparatorSection(comparator.url),
    capture: { headers: ['content-type', 'content-encoding'] },
    routes: route(...candidates),
  })
  await send(`${mirror.url}/p`, { body: '{}', headers: { 'accept-encoding': 'gzip, br, zstd' } })
  for (const coding of Object.keys(codings)) await mirror.settled(coding, 1)
  const observations = [...comparator.observations.values()]
  expect(observations.map(({ validation }) => validation).sort()).toEqual(['br', 'gzip', 'zstd'])
  const plain = { kind: 'answered', headers: { 'content-type': 'application/json' }, body: text, bodyEncoding: 'utf8' }
  for (const observation of observations) {
    for (const { kind, headers, body, bodyEncoding } of [observation.primary, observation.candidate] as never as {
      [key in keyof typeof plain]: unknown
    }[]) {
      expect({ kind, headers, body, bodyEncoding }).toEqual(plain)
    }
  }
  expect(primary.heads.length).toBe(1)
})

test('header edits affect one leg alone: a configured credential reaches its candidate, the client’s reaches none', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const edited = await fakeUpstream(answering('{}'))
  const plain = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    routes: route(
      {
        validation: 'edited',
        url: edited.url,
        headers: { set: { Authorization: 'Bearer ours', HOST: 'models.example', 'X-New': '1' }, remove: ['X-Debug'] },
      },
      { validation: 'plain', url: plain.url },
    ),
  })
  const headers = { host: 'app.example', authorization: 'Bearer theirs', 'x-debug': 'on', 'x-request-id': 'a' }
  await send(`${mirror.url}/p`, { body: '{"a":1}', headers })
  await mirror.settled('edited', 1)
  await mirror.settled('plain', 1)
  const sent = { 'x-request-id': 'a', 'content-length': '7', 'x-understudy-shadow': '1' }
  expect(edited.heads[0]!.headers).toMatchObject({
    ...sent,
    authorization: 'Bearer ours',
    host: 'models.example',
    'x-new': '1',
  })
  expect(edited.heads[0]!.headers).not.toHaveProperty('x-debug')
  expect(plain.heads[0]!.headers).toMatchObject({ ...sent, host: 'app.example', 'x-debug': 'on' })
  expect(plain.heads[0]!.headers).not.toHaveProperty('authorization')
  expect(plain.heads[0]!.headers).not.toHaveProperty('x-new')
  expect(primary.heads[0]!.headers).toMatchObject({ ...headers, host: 'app.example' })
  expect(primary.heads[0]!.headers).not.toHaveProperty('x-new')
})

const forged = { 'x-forwarded-for': '192.0.2.1', 'x-debug': 'on' }

test.each([
  {
    when: 'and what the client said of itself',
    edits: { forwarded: true },
    sent: {
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'app.example',
      forwarded: 'for=127.0.0.1;proto=http;host="app.example"',
      'x-debug': 'on',
    },
  },
  {
    when: 'without what live requests lose',
    edits: { remove: ['X-Forwarded-For', 'x-debug'] },
    sent: { 'x-forwarded-for': '127.0.0.1', 'x-debug': undefined },
  },
  {
    when: 'or nothing if live requests say nothing',
    edits: { xForwarded: false },
    sent: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': undefined },
  },
])('copies say who the client is as live requests do, $when', async ({ edits, sent }) => {
  const primary = await fakeUpstream(answering('{}'))
  const candidate = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    headers: edits,
    routes: [
      {
        path: '/p',
        candidates: [{ validation: 'p', url: candidate.url }],
        noiseFloor: { validation: 'noise', share: 1 },
      },
    ],
  })
  await send(`${mirror.url}/p`, { body: '{}', headers: { host: 'app.example', ...forged } })
  await mirror.settled('p', 1)
  await mirror.settled('noise', 1)
  const heads = [...primary.heads, ...candidate.heads].map(({ headers }) => headers)
  const told = Object.keys(sent)
  expect(heads.map((headers) => Object.fromEntries(told.map((name) => [name, headers[name]])))).toEqual([
    sent,
    sent,
    sent,
  ])
})

test('a candidate that fails repeatedly is left alone, counted, and used again once it is back', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const gone = await fakeUpstream(answering('{}'))
  const healthy = await fakeUpstream(answering('{}'))
  await gone.close()
  const comparator = await fakeComparator()
  const ahead = { ms: 0 }
  const clock = { now: Date.now, monotonic: () => performance.now() + ahead.ms }
  const breaker = { failures: 3, cooldown: '10m' }
  const mirror = await mirrorUnderTest(
    {
      primary: primary.url,
      comparator: comparatorSection(comparator.url),
      routes: route(
        { validation: 'gone', url: gone.url, concurrency: 1, breaker },
        { validation: 'healthy', url: healthy.url, breaker },
      ),
    },
    clock,
  )
  const isOpen = async () => {
    const lines = (await mirror.admin('/metrics')).text.split('\n')
    const of = (validation: string) =>
      lines.find((line) => line.startsWith(`understudy_mirror_breaker_open{validation="${validation}"`))
    return [of('gone')?.at(-1), of('healthy')?.at(-1)].join('')
  }
  expect(await isOpen()).toBe('00')
  const exchanges = 20
  for (let i = 0; i < exchanges; i++) expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
  const account = await mirror.settled('gone', exchanges)
  // the failures that open its breaker are evidence against it
  expect(account).toMatchObject({ delivered: breaker.failures, skipped: { shed: exchanges - breaker.failures } })
  expect(await mirror.settled('healthy', exchanges)).toMatchObject({ delivered: exchanges, skipped: {} })
  expect(await isOpen()).toBe('10')

  const back = await fakeUpstream(answering('{}'), gone.port)
  ahead.ms = 600_000
  await waitFor('a probe to be answered', async () => {
    await send(`${mirror.url}/p`, { body: '{}' })
    return (await isOpen()) === '00'
  })
  expect(back.heads.length).toBeGreaterThan(0)
  const kinds = new Set([...comparator.observations.values()].map(({ candidate: { kind } }) => kind))
  expect(kinds).toEqual(new Set(['answered', 'refused']))
})

test('each candidate has its own queue, which sheds as configured, and its own retries', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const held: (() => void)[] = []
  const slow = await fakeUpstream((request, response) => {
    request.resume()
    held.push(() => response.end('{}'))
  })
  let broken = 0
  const flaky = await fakeUpstream((request, response) => {
    request.resume()
    if (broken++ === 0) request.socket.destroy()
    else response.end('{}')
  })
  const comparator = await fakeComparator()
  const one = { concurrency: 1, queue: 1 }
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: comparatorSection(comparator.url),
    routes: route(
      { validation: 'newest', url: slow.url, ...one },
      { validation: 'oldest', url: slow.url, ...one, shed: 'oldest' },
      { validation: 'once', url: flaky.url, concurrency: 1 },
    ),
  })
  for (const id of ['1', '2', '3']) await send(`${mirror.url}/p`, { body: '{}', headers: { 'x-request-id': id } })
  await waitFor('one of each to be shed', async () => {
    const { newest, oldest } = await mirror.ledger()
    return newest!.skipped.shed === 1 && oldest!.skipped.shed === 1
  })
  for (let answered = 0; answered < 4; answered++) {
    await waitFor('the next request', () => held.length > 0)
    held.shift()!()
  }
  for (const validation of ['newest', 'oldest', 'once']) await mirror.settled(validation, 3)
  const observed = (validation: string) =>
    [...comparator.observations.values()]
      .filter((observation) => observation.validation === validation)
      .map(({ correlationId, candidate: { kind } }) => `${correlationId} ${kind}`)
      .sort()
  expect(observed('newest')).toEqual(['1 answered', '2 answered'])
  expect(observed('oldest')).toEqual(['1 answered', '3 answered'])
  expect(observed('once')).toEqual(['1 reset', '2 answered', '3 answered'])

  broken = 0
  const retrying = await mirrorUnderTest({
    primary: primary.url,
    comparator: comparatorSection(comparator.url),
    routes: route({ validation: 'again', url: flaky.url, retries: 1 }),
  })
  await send(`${retrying.url}/p`, { body: '{}', headers: { 'x-request-id': '1' } })
  await retrying.settled('again', 1)
  expect([observed('again'), broken]).toEqual([['1 answered'], 2])
})

test('one budget covers the bodies of all legs: what does not fit is shed and counted, and all is released', async () => {
  const answer = Buffer.alloc(300 * 1024, 'x')
  const primary = await fakeUpstream(answering(answer))
  const candidates = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map(async (validation) => ({
      validation,
      url: (await fakeUpstream(answering(answer))).url,
    })),
  )
  const comparator = await fakeComparator()
  let isBlocked = true
  comparator.onBundle = () => (isBlocked ? { status: 503 } : undefined)
  const memoryMax = 1024 * 1024
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: comparatorSection(comparator.url),
    capture: { bodyMax: '300KiB', memoryMax: `${memoryMax}B` },
    routes: route(...candidates),
  })
  let heldMax = 0
  const look = setInterval(() => {
    heldMax = Math.max(heldMax, mirror.heldBytes)
  }, 1)
  for (let i = 0; i < 5; i++) {
    const response = await send(`${mirror.url}/p`, { body: '{}' })
    expect(response.body.equals(answer)).toBe(true)
  }
  isBlocked = false
  let shed = 0
  for (const { validation } of candidates) {
    const account = await mirror.settled(validation, 5)
    expect(account.delivered + skippedOf(account)).toBe(5)
    shed += account.skipped.shed ?? 0
  }
  clearInterval(look)
  expect(shed).toBeGreaterThan(0)
  expect(heldMax).toBeLessThanOrEqual(memoryMax)
  expect(heldMax).toBeGreaterThan(answer.length)
  await waitFor('the bytes to be given back', () => mirror.heldBytes === 0)
})

test('heads count towards the memory budget too: few requests with many fields can wait', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const hung = await fakeUpstream(hanging)
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: comparatorSection(comparator.url),
    capture: { bodyMax: '64KiB', memoryMax: '256KiB' },
    routes: route({ validation: 'v', url: hung.url, deadline: '10m' }),
  })
  const headers = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-${i}`, '']))
  for (let i = 0; i < 20; i++) expect((await send(`${mirror.url}/p`, { body: '{}', headers })).status).toBe(200)
  // five hundred field objects and names each
  expect(mirror.heldBytes).toBeGreaterThan(200 * 1024)
  expect((await mirror.ledger()).v!.skipped.shed).toBeGreaterThan(10)
  await hung.close()
  await mirror.settled('v', 20)
  await waitFor('the bytes to be given back', () => mirror.heldBytes === 0)
})

test('a copy that our limits keep from the primary is shed, and proves nothing about the live candidate', async () => {
  const { primary, mirror } = await promoted(answering('candidate'), {}, { concurrency: 1, queue: 0 })
  primary.server.removeAllListeners('request').on('request', hanging)
  for (let i = 0; i < 2; i++) await send(`${mirror.url}/p`, { body: '{}' })
  const { v } = await waitFor(
    'both',
    () => mirror.ledger(),
    ({ v }) => v!.seen === 2 && v!.pending < 2,
  )
  expect(v).toMatchObject({ delivered: 0, pending: 1, skipped: { shed: 1 } })
})

test('a live candidate that answers before the upload ends is compared with one copy of the whole request', async () => {
  const { primary, mirror, observations } = await promoted((incoming, response) => {
    incoming.resume()
    response.end('early')
  })
  const upload = request(`${mirror.url}/p`, { method: 'POST' })
  upload.write('{')
  const [response] = (await once(upload, 'response')) as [IncomingMessage]
  expect(String(await readAll(response))).toBe('early')
  upload.end('}')
  expect(await observations(1)).toMatchObject([
    { live: 'candidate', request: { body: '{}' }, primary: { body: 'primary' }, candidate: { body: 'early' } },
  ])
  expect(primary.heads.length).toBe(1)
})
