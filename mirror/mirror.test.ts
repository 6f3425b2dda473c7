import { randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from './testing/fake-upstream.ts'
import { mirrorUnderTest, route, send } from './testing/mirror-under-test.ts'

const comparatorSection = (url: string) => ({ url, token: 'ingest-token' })
const only = async (observations: Map<string, unknown>) => {
  await waitFor('an observation', () => observations.size === 1)
  return [...observations.values()][0] as import('../vocabulary/observation.ts').Observation
}

describe('an exchange', () => {
  test('becomes one observation with both outcomes, and the ledger says delivered', async () => {
    const primary = await fakeUpstream(
      answering('{"predictions":[0.1]}', { 'x-model-version': '7', 'set-cookie': 'a=1' }),
    )
    const candidate = await fakeUpstream(
      answering('{"predictions":[0.2]}', { 'x-model-version': '3', 'x-model-digest': 'sha256:abc' }),
    )
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: comparatorSection(comparator.url),
      routes: route({ validation: 'v', url: candidate.url }),
    })
    const response = await send(`${mirror.url}/p/1?q=x`, {
      body: '{"input":[1]}',
      headers: { 'content-type': 'application/json', 'x-request-id': 'abc', authorization: 'secret' },
    })
    expect(response.body.toString()).toBe('{"predictions":[0.1]}')
    expect(response.headers['set-cookie']).toEqual(['a=1'])

    const observation = await only(comparator.observations)
    expect(observation).toMatchObject({
      validation: 'v',
      correlationId: 'abc',
      live: 'primary',
      request: {
        method: 'POST',
        path: '/p/1?q=x',
        headers: { 'content-type': 'application/json' },
        body: '{"input":[1]}',
        bodyEncoding: 'utf8',
        bodyBytes: 13,
      },
      primary: {
        kind: 'answered',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"predictions":[0.1]}',
        version: '7',
      },
      candidate: { kind: 'answered', body: '{"predictions":[0.2]}', version: '3', digest: 'sha256:abc', queuedMs: 0 },
    })
    expect(observation.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    for (const leg of [observation.primary, observation.candidate]) {
      if (leg.kind !== 'answered') throw new Error('not answered')
      expect(leg.ttfbMs).toBeGreaterThan(0)
      expect(leg.totalMs).toBeGreaterThanOrEqual(leg.ttfbMs!)
    }
    expect(await mirror.settled('v', 1)).toEqual({ seen: 1, delivered: 1, pending: 0, skipped: {} })
    expect(comparator.tokens).toEqual(new Set(['Bearer ingest-token']))
    expect(mirror.heldBytes).toBe(0)
  })

  test('has the markers on the shadow leg only, and no credentials there', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const candidate = await fakeUpstream(answering('{}'))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: comparatorSection(comparator.url),
      routes: route({ validation: 'v', url: `${candidate.url}/base` }),
      shadow: { allowHeaders: ['X-Api-Key'] },
    })
    await send(`${mirror.url}/p`, {
      body: '{}',
      headers: {
        host: 'models.example',
        authorization: 'Bearer s',
        cookie: 'a=1',
        'x-api-key': 'k',
        'x-understudy-shadow': '1',
        'x-understudy-observation': 'forged',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    })
    const observation = await only(comparator.observations)
    const [live] = primary.heads
    const [shadow] = candidate.heads
    expect(live!.headers).toMatchObject({ host: 'models.example', authorization: 'Bearer s', cookie: 'a=1' })
    expect(live!.headers).not.toHaveProperty('x-understudy-shadow')
    expect(live!.headers).not.toHaveProperty('x-understudy-observation')
    expect(shadow!.url).toBe('/base/p')
    expect(shadow!.headers).toMatchObject({
      host: 'models.example',
      'x-api-key': 'k',
      'x-understudy-shadow': '1',
      'x-understudy-observation': observation.id,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'content-length': '2',
    })
    expect(shadow!.headers).not.toHaveProperty('authorization')
    expect(shadow!.headers).not.toHaveProperty('cookie')
  })

  test('reaches the comparator decoded, and the client as it came', async () => {
    const packed = gzipSync('{"predictions":[1]}')
    const primary = await fakeUpstream(answering(packed, { 'content-encoding': 'gzip' }))
    const candidate = await fakeUpstream(
      answering(brotliCompressSync('{"predictions":[2]}'), { 'content-encoding': 'br' }),
    )
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: comparatorSection(comparator.url),
      routes: [{ path: '/p', correlation: { pointer: '/id' }, candidates: [{ validation: 'v', url: candidate.url }] }],
    })
    const response = await send(`${mirror.url}/p`, {
      body: gzipSync('{"id":"from-the-body"}'),
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    })
    expect(response.body).toEqual(packed)
    expect(await only(comparator.observations)).toMatchObject({
      correlationId: 'from-the-body',
      request: { body: '{"id":"from-the-body"}', bodyEncoding: 'utf8' },
      primary: { headers: { 'content-type': 'application/json' }, body: '{"predictions":[1]}' },
      candidate: { headers: { 'content-type': 'application/json' }, body: '{"predictions":[2]}' },
    })
    await mirror.settled('v', 1)
    expect(mirror.heldBytes).toBe(0)
  })

  test('is sent as base64 if it is long, and its correlation id is still found', async () => {
    const long = JSON.stringify({ id: 'from-the-body', text: '"quoted" ü '.repeat(10_000) })
    const primary = await fakeUpstream(answering(long))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: comparatorSection(comparator.url),
      routes: [{ path: '/p', correlation: { pointer: '/id' }, candidates: [{ validation: 'v', url: primary.url }] }],
    })
    await send(`${mirror.url}/p`, { body: long })
    const body = Buffer.from(long).toString('base64')
    expect(await only(comparator.observations)).toMatchObject({
      correlationId: 'from-the-body',
      request: { body, bodyEncoding: 'base64' },
      primary: { body, bodyEncoding: 'base64' },
      candidate: { body, bodyEncoding: 'base64' },
    })
  })

  test('whose candidate answers with a zip bomb is tooLarge, and binary bodies are sent as base64', async () => {
    const binary = Buffer.from([0xff, 0, 1, 2])
    const primary = await fakeUpstream(answering(binary, { 'content-type': 'application/octet-stream' }))
    const bomb = gzipSync(Buffer.alloc(5 * 1024 * 1024))
    const candidate = await fakeUpstream(answering(bomb, { 'content-encoding': 'gzip' }))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: comparatorSection(comparator.url),
      routes: route({ validation: 'v', url: candidate.url }),
    })
    await send(`${mirror.url}/p`, { body: binary })
    expect(await only(comparator.observations)).toMatchObject({
      request: { body: binary.toString('base64'), bodyEncoding: 'base64', bodyBytes: 4 },
      primary: { body: binary.toString('base64'), bodyEncoding: 'base64' },
      candidate: { kind: 'tooLarge' },
    })
  })

  test('outside the routes, or with another method, is forwarded only', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const candidate = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      routes: route({ validation: 'v', url: candidate.url }),
    })
    await send(`${mirror.url}/pq`, { body: '{}' })
    await send(`${mirror.url}/p`, { method: 'GET' })
    await send(`${mirror.url}/p`, { body: '{}' })
    expect(await mirror.settled('v', 1)).toEqual({ seen: 1, delivered: 0, pending: 0, skipped: { noComparator: 1 } })
    expect(primary.heads.length).toBe(3)
    expect(candidate.heads.length).toBe(1)
  })
})

describe("the primary's bytes are unchanged", () => {
  const answer = randomBytes(300_000)
  const question = randomBytes(200_000)
  const candidates: Record<string, { listener: Parameters<typeof fakeUpstream>[0]; outcome: string }> = {
    hung: { listener: hanging, outcome: 'timedOut' },
    slow: {
      listener: (request, response) => {
        request.resume()
        setTimeout(() => response.end('{}'), 100)
      },
      outcome: 'answered',
    },
    'answering 10 MB': { listener: answering(randomBytes(10 * 1024 * 1024)), outcome: 'tooLarge' },
    'resetting in the middle of its body': {
      listener: (request, response) => {
        request.resume()
        response.writeHead(200, { 'content-length': '1000' })
        response.write('half')
        setTimeout(() => request.socket.destroy(), 20)
      },
      outcome: 'reset',
    },
    'answering what is not HTTP': { listener: (request) => request.socket.end('nonsense\r\n\r\n'), outcome: 'reset' },
  }
  for (const [how, { listener, outcome }] of Object.entries(candidates)) {
    test(`with the candidate ${how}`, async () => {
      let received: Buffer | undefined
      const primary = await fakeUpstream(async (request, response) => {
        received = await readAll(request)
        response.end(answer)
      })
      const candidate = await fakeUpstream(listener)
      const comparator = await fakeComparator()
      const mirror = await mirrorUnderTest({
        primary: primary.url,
        comparator: comparatorSection(comparator.url),
        routes: route({ validation: 'v', url: candidate.url, deadline: outcome === 'timedOut' ? '400ms' : '1m' }),
      })
      const response = await send(`${mirror.url}/p`, { body: question })
      expect(response.status).toBe(200)
      expect(response.body.equals(answer)).toBe(true)
      expect(received!.equals(question)).toBe(true)
      expect(await only(comparator.observations)).toMatchObject({ candidate: { kind: outcome } })
      await mirror.settled('v', 1)
      expect(mirror.heldBytes).toBe(0)
    })
  }

  test('with the candidate dead', async () => {
    const primary = await fakeUpstream(answering(answer))
    const candidate = await fakeUpstream(answering(''))
    await candidate.close()
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: comparatorSection(comparator.url),
      routes: route({ validation: 'v', url: candidate.url }),
    })
    expect((await send(`${mirror.url}/p`, { body: question })).body.equals(answer)).toBe(true)
    expect(await only(comparator.observations)).toMatchObject({ candidate: { kind: 'refused' } })
  })
})
