import { randomUUIDv7 } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { encode } from '@msgpack/msgpack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  classification,
  observation,
  regression,
  scores,
  startTestComparator,
  type TestComparator,
  tokens,
} from './support/comparator.ts'

let comparator: TestComparator
const now = Date.now()

beforeAll(async () => {
  comparator = await startTestComparator([
    classification,
    regression,
    { ...regression, name: 'redacted', store: { bodies: 'all', redact: ['/user/name'] } },
    { ...regression, name: 'unlabelled' },
    { ...regression, name: 'versions' },
    { ...classification, name: 'labels', gate: [...classification.gate, { metric: 'labelCoverage', min: 0.6 }] },
    { ...regression, name: 'malformed' },
    { ...regression, name: 'odd' },
    { ...regression, name: 'empty' },
  ])
})
afterAll(() => comparator?.close())

const metrics = async (name: string, query = '') =>
  (await comparator.call('GET', `/v1/validations/${name}/metrics${query}`, { token: tokens.viewer })).body
const validation = async (name: string) =>
  (await comparator.call('GET', `/v1/validations/${name}`, { token: tokens.viewer })).body

describe('observations', () => {
  test('are accepted once, however often and in whatever company they are delivered', async () => {
    const bundle = Array.from({ length: 40 }, (_, i) =>
      observation({
        validation: 'price',
        at: now - 30_000 + i * 500,
        primary: { prediction: i },
        candidate: { prediction: i + 0.5 },
      }),
    )
    expect(await comparator.post([...bundle, bundle[0]])).toEqual({ accepted: 40, duplicates: 1, rejected: [] })
    const more = observation({ validation: 'price', at: now, primary: { prediction: 1 }, candidate: { prediction: 2 } })
    expect(await comparator.post([...bundle.slice(5), more])).toEqual({ accepted: 1, duplicates: 35, rejected: [] })
    const { totals } = await metrics('price')
    expect(totals.samples).toBe(41)
    expect(totals.mae).toBeCloseTo((40 * 0.5 + 1) / 41, 12)
  })

  test('delivered twice at the same time count once', async () => {
    const bundle = Array.from({ length: 30 }, (_, i) =>
      observation({
        validation: 'unlabelled',
        at: now - i * 100,
        primary: { prediction: i },
        candidate: { prediction: i },
      }),
    )
    const receipts = await Promise.all([1, 2, 3, 4].map(() => comparator.post(bundle)))
    expect(receipts.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(30)
    expect((await metrics('unlabelled')).totals.samples).toBe(30)
  })

  test('with a status that no standard knows are evidence too', async () => {
    const odd = observation({ validation: 'odd', at: now, primary: { prediction: 1 }, candidate: { prediction: 1 } })
    odd.candidate = { kind: 'answered', status: 999, totalMs: 1, version: '1' }
    expect(await comparator.post([odd])).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
    expect((await metrics('odd')).totals.errorRate.candidate).toBe(1)
  })

  test('whose members are null have left them out, and are at times that exist', async () => {
    const answer = { prediction: 1 }
    const of = (more: object) => ({
      ...observation({ validation: 'odd', at: now, primary: answer, candidate: answer }),
      ...more,
    })
    const { accepted, rejected } = await comparator.post([
      of({ correlationId: null, live: null }),
      of({ primary: { kind: 'answered', status: 500, totalMs: 1, headers: null, body: null, version: null } }),
      of({ validation: null }),
      of({ at: '2026-02-30T08:00:00Z' }),
    ])
    expect(accepted).toBe(2)
    expect(rejected.map(({ message }: { message: string }) => message)).toEqual([
      'validation: expected the name of a validation, 1 to 200 characters',
      'at: expected a time that exists, got 2026-02-30T08:00:00Z',
    ])
  })

  test('that are bad are rejected alone, each with its reason', async () => {
    const good = () =>
      observation({ validation: 'malformed', at: now, primary: { prediction: 1 }, candidate: { prediction: 1 } })
    const { accepted, rejected } = await comparator.post([
      good(),
      { ...good(), validation: 'nobody' },
      { ...good(), at: new Date(now - 15 * 86_400_000).toISOString() },
      { ...good(), at: new Date(now + 6 * 60_000).toISOString() },
      { ...good(), at: '2026-02-31T00:00:00' },
      { ...good(), id: 'x' },
      { ...good(), primary: { kind: 'answered', status: 99, totalMs: 1 } },
      { ...good(), candidate: { kind: 'vanished', totalMs: 1 } },
      { ...good(), candidate: { kind: 'timedOut', totalMs: -1 } },
      null,
      'text',
      good(),
    ])
    expect(accepted).toBe(2)
    expect(rejected.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
      [1, 'UNKNOWN_VALIDATION'],
      [2, 'TOO_OLD'],
      [3, 'IN_FUTURE'],
      [4, 'INVALID_OBSERVATION'],
      [5, 'INVALID_OBSERVATION'],
      [6, 'INVALID_OBSERVATION'],
      [7, 'INVALID_OBSERVATION'],
      [8, 'INVALID_OBSERVATION'],
      [9, 'INVALID_OBSERVATION'],
      [10, 'INVALID_OBSERVATION'],
    ])
    for (const { message } of rejected) expect(message).toMatch(/expected|no validation|older|ahead/)
    const messages = Object.fromEntries(rejected.map(({ index, message }: any) => [index, message]))
    expect(messages[7]).toMatch(/^candidate\.kind: expected one of answered, timedOut/)
    expect(messages[8]).toMatch(/^candidate\.totalMs: expected milliseconds ≥ 0: from the moment/)
  })

  test('may hold what PostgreSQL cannot: U+0000, lone surrogates, prototype names', async () => {
    const hostile = observation({
      validation: 'malformed',
      at: now,
      correlationId: 'a\u0000b\ud800',
      primary: { prediction: 1, __proto__: { x: 1 }, constructor: '\u0000' },
      candidate: { prediction: 1 },
    })
    hostile.primary = {
      ...hostile.primary,
      body: '{"prediction":1,"__proto__":{"x":1},"t":"\u0000"}',
    } as typeof hostile.primary
    expect(await comparator.post([hostile])).toMatchObject({ rejected: [] })
    const { status } = await comparator.call('GET', `/v1/observations/${hostile.id}`, { token: tokens.viewer })
    expect(status).toBe(200)
  })

  test('come as MessagePack too', async () => {
    const one = observation({
      validation: 'malformed',
      at: now,
      primary: { prediction: 1 },
      candidate: { prediction: 1 },
    })
    const body = encode({ observations: [one] })
    const headers = { 'content-type': 'application/x-msgpack' }
    expect((await comparator.call('POST', '/v1/observations', { body, headers })).body).toMatchObject({ accepted: 1 })
    const broken = await comparator.call('POST', '/v1/observations', { body: new Uint8Array([0xc1, 1, 2]), headers })
    expect(broken).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
  })

  test('have no bytes in MessagePack, each of which would count as a member of an object', async () => {
    const bytes = new Uint8Array(4_000_000)
    const one = observation({ validation: 'malformed', at: now, primary: {}, candidate: {} })
    const headers = { 'content-type': 'application/x-msgpack' }
    const began = performance.now()
    for (const observations of [bytes, [{ ...one, request: { ...one.request, headers: bytes } }]]) {
      const body = encode({ observations })
      const refused = await comparator.call('POST', '/v1/observations', { body, headers })
      expect(refused.body).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(/which is no bytes: /) })
    }
    expect(performance.now() - began).toBeLessThan(1000)
  })

  test('of a dead candidate are evidence: mismatches and errors', async () => {
    const bundle = Array.from({ length: 20 }, (_, i) =>
      observation({
        at: now - 20_000 + i * 1000,
        primary: scores(i % 3),
        candidate: i < 5 ? { kind: 'refused', totalMs: 1 } : scores(i % 3),
      }),
    )
    await comparator.post(bundle)
    const { totals } = await metrics('digits')
    expect(totals.samples).toBe(20)
    expect(totals.agreement).toBe(0.75)
    expect(totals.errorRate).toMatchObject({ primary: 0, candidate: 0.25, delta: 0.25 })
  })

  test('are listed worst first and newest first, page by page', async () => {
    const page = async (query: string) =>
      (await comparator.call('GET', `/v1/validations/digits/observations?${query}`, { token: tokens.viewer })).body
    const worst = await page('order=worst&limit=3')
    expect(worst.observations.map((o: { comparison: string }) => o.comparison)).toEqual(['failed', 'failed', 'failed'])
    const rest = await page(`order=worst&limit=100&cursor=${worst.nextCursor}`)
    const all = [...worst.observations, ...rest.observations].map((o: { id: string }) => o.id)
    expect(new Set(all).size).toBe(all.length)
    const newest = await page('order=newest&limit=2')
    expect(newest.observations[0].at > newest.observations[1].at).toBe(true)
    const next = await page(`order=newest&limit=2&cursor=${newest.nextCursor}`)
    expect(next.observations[0].at < newest.observations[1].at).toBe(true)
    expect((await page('order=worst&cursor=nonsense')).code).toBe('BAD_REQUEST')
  })

  test('keep their bodies as configured, redacted before anything is stored', async () => {
    const secret = observation({
      validation: 'redacted',
      at: now,
      primary: { prediction: 1, user: { name: 'Ada' } },
      candidate: { prediction: 3, user: { name: 'Ada' } },
      request: {
        method: 'POST',
        path: '/price',
        headers: { 'content-type': 'application/json', Cookie: 'session=Ada', authorization: 'Bearer Ada' },
        body: Buffer.from('{"user":{"name":"Ada"},"x":1}').toString('base64'),
        bodyEncoding: 'base64',
      },
    })
    await comparator.post([secret])
    const { body } = await comparator.call('GET', `/v1/observations/${secret.id}`, { token: tokens.viewer })
    expect(JSON.stringify(body)).not.toContain('Ada')
    expect(body.request.body).toBe('{"user":{"name":"[redacted]"},"x":1}')
    expect(body.bodies.candidate.body).toBe('{"prediction":3,"user":{"name":"[redacted]"}}')
  })

  test('keep no body that cannot be redacted, and say so; queries and forms are redacted by name', async () => {
    const form = 'application/x-www-form-urlencoded'
    const secret = observation({
      validation: 'redacted',
      at: now,
      primary: { prediction: 1 },
      candidate: { prediction: 3 },
      request: {
        method: 'POST',
        path: '/price?token=Ada&user[name]=Ada&x=1',
        headers: { 'content-type': form },
        body: 'user[name]=Ada&x=1',
        bodyEncoding: 'utf8',
      },
    })
    secret.candidate = {
      kind: 'answered',
      status: 200,
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from('\u0003\0\0\0Ada').toString('base64'),
      bodyEncoding: 'base64',
      totalMs: 5,
    }
    await comparator.post([secret])
    const { body } = await comparator.call('GET', `/v1/observations/${secret.id}`, { token: tokens.viewer })
    expect(JSON.stringify(body)).not.toContain('Ada')
    expect(body.request).toMatchObject({
      path: '/price?token=[redacted]&user[name]=[redacted]&x=1',
      body: 'user[name]=[redacted]&x=1',
    })
    expect(body.bodies).toMatchObject({ primary: { body: '{"prediction":1}' }, candidate: null })
    expect(body.withheld).toEqual({ candidate: 'notRedactable' })
  })

  test('keep bytes that look like text as they are', async () => {
    const bytes = Buffer.from([0, 0, 0, 0x3f])
    const sent = observation({
      validation: 'price',
      at: now,
      primary: { prediction: 1 },
      candidate: { prediction: 1 },
      request: { method: 'POST', path: '/price', body: bytes.toString('base64'), bodyEncoding: 'base64' },
    })
    await comparator.post([sent])
    const { body } = await comparator.call('GET', `/v1/observations/${sent.id}`, { token: tokens.viewer })
    expect(Buffer.from(body.request.body, body.request.bodyEncoding)).toEqual(bytes)
  })
})

test('a body that came compressed is kept, and searched for secrets, in plain', async () => {
  const zipped = observation({
    validation: 'redacted',
    at: now,
    primary: { prediction: 1 },
    candidate: { prediction: 2 },
  })
  zipped.candidate = {
    kind: 'answered',
    status: 200,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{"prediction":2,"user":{"name":"Ada"}}').toString('base64'),
    bodyEncoding: 'base64',
    totalMs: 5,
  }
  await comparator.post([zipped])
  const { body } = await comparator.call('GET', `/v1/observations/${zipped.id}`, { token: tokens.viewer })
  expect(body.comparison).toBe('compared')
  expect(body.bodies.candidate).toEqual({
    contentType: 'application/json',
    body: '{"prediction":2,"user":{"name":"[redacted]"}}',
    bodyEncoding: 'utf8',
  })
})

describe('the window', () => {
  test('restarts when a model version changes, and learns versions late', async () => {
    const at = (i: number) => now - 50_000 + i * 1000
    const one = (i: number, candidate: unknown, more = {}) =>
      observation({ validation: 'versions', at: at(i), primary: { prediction: 1 }, candidate, ...more })
    await comparator.post([
      one(0, { kind: 'refused', totalMs: 1 }),
      one(1, { prediction: 2 }),
      one(2, { kind: 'timedOut', totalMs: 9 }),
    ])
    expect((await validation('versions')).window).toMatchObject({
      samples: 3,
      candidateVersion: '1',
      beganAt: new Date(at(0)).toISOString(),
    })

    const second = one(3, { prediction: 1 })
    second.candidate.version = '2'
    await comparator.post([second])
    expect((await validation('versions')).window).toMatchObject({ samples: 1, candidateVersion: '2' })
    expect((await metrics('versions')).totals.mae).toBe(0)
  })

  test('without evidence is inconclusive and all null, never a pass', async () => {
    const { body: gate } = await comparator.call('GET', '/v1/validations/empty/gate', { token: tokens.viewer })
    expect(gate.verdict).toBe('inconclusive')
    const told = String((await comparator.call('GET', '/metrics', { token: '' })).body)
    const ofGate = told.split('\n').filter((line) => /^understudy_comparator_gate_verdict\{.*"empty"/.test(line))
    expect(ofGate.map((line) => line.replace(/^.*verdict="/, '')).sort()).toEqual([
      'fail"} 0',
      'inconclusive"} 1',
      'pass"} 0',
    ])
    const { totals, series } = await metrics('empty')
    expect(totals.mae).toBeNull()
    expect(totals.samples).toBe(0)
    expect(series).toEqual([])
  })
})

describe('labels', () => {
  const truths = [0, 1, 2, 0, 1, 2]
  const bundle = truths.map((truth, i) =>
    observation({
      validation: 'labels',
      at: now - 10_000 + i * 1000,
      correlationId: `c${i}`,
      primary: scores(truth),
      candidate: scores(i < 2 ? (truth + 1) % 3 : truth),
    }),
  )
  const label = (i: number) => ({ validation: 'labels', correlationId: `c${i}`, label: String(truths[i]) })
  const post = async (labels: unknown[]) => (await comparator.call('POST', '/v1/labels', { body: { labels } })).body

  test('join their observations whichever comes first, once', async () => {
    expect(await post([label(0), label(1), label(2)])).toMatchObject({ accepted: 3, duplicates: 0 })
    await comparator.post(bundle)
    const labelCheck = async () => {
      const { body } = await comparator.call('GET', '/v1/validations/labels/gate', { token: tokens.viewer })
      return body.checks.find(({ metric }: { metric: string }) => metric === 'labelCoverage')
    }
    expect(await labelCheck()).toMatchObject({ estimate: 0.5, n: 6, verdict: 'inconclusive' })
    expect(await post([label(2), label(3), label(4), label(5)])).toMatchObject({
      accepted: 3,
      duplicates: 1,
      rejected: [],
    })
    await comparator.post(bundle)
    const { totals } = await metrics('labels')
    expect(totals).toMatchObject({ labelled: 6, labelCoverage: 1, accuracy: { primary: 1, candidate: 4 / 6 } })
    expect(await labelCheck()).toMatchObject({ estimate: 1, verdict: 'pass' })
    expect(totals.accuracy.drift).toBeCloseTo(-2 / 6, 12)
  })

  test('that contradict, or do not fit, are refused with the reason', async () => {
    const { rejected } = await post([
      { ...label(0), label: '2' },
      { validation: 'labels', correlationId: 'c9', value: 3 },
      { validation: 'labels', label: '1' },
      { validation: 'nobody', correlationId: 'c', label: '1' },
    ])
    expect(rejected.map(({ code }: { code: string }) => code).sort()).toEqual([
      'INVALID_LABEL',
      'INVALID_LABEL',
      'LABEL_CONFLICT',
      'UNKNOWN_VALIDATION',
    ])
  })
})

describe('coverage', () => {
  test('counts what the mirrors skipped, and repeating a report changes nothing', async () => {
    const minute = `${new Date(now - 1000).toISOString().slice(0, 16)}:00.000Z`
    const report = {
      reporter: 'm1',
      validation: 'digits',
      minute,
      sizeClass: 'le1KiB',
      seen: 65,
      skipped: { shed: 3, tooLarge: 2, notSampled: 40 },
    }
    const before = await validation('digits')
    for (const seen of [10, 65, 65]) {
      const skipped = seen === 10 ? { shed: 1 } : report.skipped
      const { body } = await comparator.call('POST', '/v1/coverage', {
        body: { reports: [{ ...report, seen, skipped }] },
      })
      expect(body.accepted).toBe(1)
    }
    const after = await validation('digits')
    expect(after.exchanges.skipped).toMatchObject({ shed: 3, tooLarge: 2 })
    expect(after.exchanges.seen).toBe(before.exchanges.seen + 45)
    // what the sampling left out is counted, but it is no lack of coverage
    expect(after.coverage).toBeCloseTo(20 / 25, 12)
  })
})

describe('metrics', () => {
  test('series add up to the totals, whatever the step', async () => {
    for (const step of ['1s', '5s', '30s']) {
      const { series, totals } = await metrics('price', `?step=${step}`)
      const samples = series.reduce((sum: number, at: { samples: number }) => sum + at.samples, 0)
      expect(samples).toBe(totals.samples)
    }
  })

  test('of a part of the time are that part alone', async () => {
    const from = new Date(now - 30_000).toISOString()
    const to = new Date(now - 25_000).toISOString()
    const { totals } = await metrics('price', `?from=${from}&to=${to}`)
    expect(totals.samples).toBeGreaterThan(5)
    expect(totals.samples).toBeLessThan(15)
    expect((await metrics('price', '?from=yesterday')).code).toBe('BAD_REQUEST')
    const later = new Date(Date.parse(to) + 60_000).toISOString()
    expect(await metrics('price', `?from=${later}`)).toMatchObject({ from: null, totals: { samples: 0 } })
  })
})

describe('the API', () => {
  test('tells who may do what', async () => {
    const statusOf = async (token: string, method: string, path: string, body?: unknown) =>
      (await comparator.call(method, path, { token, body })).status
    expect(await statusOf('', 'GET', '/v1/validations')).toBe(401)
    expect(await statusOf('wrong', 'GET', '/v1/validations')).toBe(401)
    expect(await statusOf(tokens.ingest, 'GET', '/v1/validations')).toBe(403)
    expect(await statusOf(tokens.viewer, 'POST', '/v1/observations', { observations: [] })).toBe(403)
    expect(await statusOf(tokens.viewer, 'GET', '/v1/routing')).toBe(403)
    expect(await statusOf(tokens.viewer, 'POST', '/v1/validations/digits/promotion', { gateId: randomUUIDv7() })).toBe(
      403,
    )
    expect(await statusOf(tokens.approver, 'GET', '/v1/session')).toBe(200)
    expect(await statusOf('', 'GET', '/healthz')).toBe(200)
    expect(await statusOf('', 'GET', '/readyz')).toBe(200)
  })

  test('answers every error as code and message', async () => {
    const cases: [string, string, unknown, number, string][] = [
      ['GET', '/nowhere', undefined, 404, 'NOT_FOUND'],
      ['GET', '/v1/validations/nobody', undefined, 404, 'NOT_FOUND'],
      ['GET', '/v1/validations/100%', undefined, 400, 'BAD_REQUEST'],
      ['GET', `/v1/observations/${randomUUIDv7()}`, undefined, 404, 'NOT_FOUND'],
      ['POST', '/v1/observations', '{"observations":', 400, 'BAD_REQUEST'],
      ['POST', '/v1/observations', { observation: [] }, 400, 'BAD_REQUEST'],
      ['POST', '/v1/observations', { observations: 'x' }, 400, 'BAD_REQUEST'],
      ['GET', '/v1/validations/digits/observations?limit=0', undefined, 400, 'BAD_REQUEST'],
      ['POST', '/v1/validations/digits/promotion', { comment: 'x' }, 400, 'BAD_REQUEST'],
    ]
    for (const [method, path, body, status, code] of cases) {
      expect(await comparator.call(method, path, { token: tokens.admin, body })).toMatchObject({
        status,
        body: { code },
      })
    }
  })

  test('says in words what it expected', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const cases: [string, string, { body?: unknown; headers?: Record<string, string> }, string][] = [
      ['GET', '/v1/validations/digits/observations?order=best', {}, 'order: expected one of worst, newest, typical'],
      ['GET', '/v1/promotions/seven', {}, 'id: expected a UUID'],
      ['GET', '/v1/validations/digits/metrics?step=1', {}, 'step: expected a duration such as 1h'],
      [
        'GET',
        '/v1/validations/digits/metrics?from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z',
        {},
        'from: expected a time before to, 2026-11-21T00:00:00Z',
      ],
      ['GET', '/v1/routing?wait=25', {}, 'wait: expected a duration such as 25s'],
      ['POST', '/v1/validations/digits/promotion', { body: { gateId: 7 } }, 'gateId: expected a UUID'],
      ['POST', '/v1/labels', { body: 'labels=', headers: form }, 'expected application/json, or'],
      ['GET', '/v1/validations/digits?x=1', {}, 'x: expected no such parameter; there are none, got "1"'],
      ['POST', '/v1/labels?x=1', { body: { labels: [] } }, 'x: expected no such parameter; there are none'],
      ['PUT', '/v1/labels?x=1', {}, 'takes POST, not PUT'],
      ['GET', '/v1/validations/digits/metrics?slice=a%00b', {}, 'at most 200 characters without NUL, got'],
      ['GET', `/v1/audit?validation=${'x'.repeat(300)}`, {}, 'at most 200 characters without NUL, got'],
      [
        'GET',
        '/v1/validations/digits/metrics?slcie=class%3D1',
        {},
        'slcie: expected no such parameter; there are from,',
      ],
      ['GET', '/v1/validations/digits/observations?limit=1&limit=2', {}, 'got ["1","2"]'],
      ['GET', '/v1/validations/digits/metrics?from=2026-02-30', {}, 'from: expected a time such as'],
      ['POST', '/v1/validations/digits/promotion', { body: { override: 1 } }, 'override: expected true or false'],
      ['GET', '//v1/validations', {}, 'no GET //v1/validations'],
      ['POST', '/v1/validations/digits/promotion', { body: '{"gateId":' }, 'the body: expected JSON'],
      ['POST', '/v1/session', { body: { token: 'x'.repeat(40_000) } }, 'the body: expected at most 32768 bytes'],
    ]
    for (const [method, path, options, expected] of cases) {
      const { body } = await comparator.call(method, path, { token: tokens.admin, ...options })
      expect(body.message).toContain(expected)
    }
  })

  test('says to a program where it expected what, also of what fits the schema and means nothing', async () => {
    const list = '/v1/validations/digits/observations'
    const cases: [string, string][] = [
      [`${list}?from=2026-02-30`, 'from'],
      [`${list}?from=2026-11-22&to=2026-11-21`, 'from'],
      [`${list}?cursor=zzz`, 'cursor'],
      [`${list}?slice=zz`, 'slice'],
      ['/v1/validations/digits/metrics?output=zz', 'output'],
      ['/v1/validations/digits/slices?metric=zz', 'metric'],
    ]
    for (const [path, parameter] of cases) {
      const { body } = await comparator.call('GET', path, { token: tokens.viewer })
      expect(body.details).toEqual([{ in: 'query', path: parameter, expected: expect.any(String) }])
      expect(body.message).toContain(`${parameter}: expected ${body.details[0].expected}, got `)
    }
    for (const body of ['{', '{"__proto__":1}']) {
      const { body: refused } = await comparator.call('POST', '/v1/labels', { body })
      const expected = 'JSON, as its content-type says, without keys such as __proto__'
      expect(refused).toMatchObject({ message: `the body: expected ${expected}`, details: [{ in: 'body', expected }] })
    }
  })

  test('names the methods that a path takes', async () => {
    const put = await comparator.call('PUT', '/v1/validations/digits/promotion', { token: tokens.admin, body: '{' })
    expect([put.status, put.body.code, put.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST'])
    const post = await comparator.call('POST', '/v1/audit', { token: '' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await comparator.call('POST', '/v1/nowhere', { token: tokens.admin })).status).toBe(404)
  })

  test('refuses what no database could hold, rather than failing over it', async () => {
    const dashes = '-'.repeat(36)
    const hex = 'a'.repeat(36)
    const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const observations = '/v1/validations/digits/observations'
    const paths = [
      ...[dashes, hex].flatMap((id) => [
        `/v1/observations/${id}`,
        `/v1/evaluations/${id}`,
        `/v1/promotions/${id}`,
        `/v1/promotions/${id}/dossier`,
        `/v1/validations/digits/gate/replay?id=${id}`,
        `${observations}?cursor=${cursor('newest', '2026-11-21T08:00:00.000Z', id)}`,
      ]),
      // a query's 1e400 is Infinity to who coerces it
      ...['1e30', '9223372036854775808', '1e400', '-1e400'].flatMap((serial) => [
        `/v1/audit?after=${serial}`,
        `/v1/audit?cursor=${serial}`,
        `/v1/audit?limit=${serial}`,
        `${observations}?limit=${serial}`,
        `/v1/validations/digits/windows/${serial}/gate`,
      ]),
      ...['0001-01-01', '-271821-04-20T00:00:00Z', '%2B275760-09-13T00:00:00Z'].flatMap((time) => [
        `/v1/validations/digits/metrics?from=${time}`,
        `/v1/validations/digits/slices?to=${time}`,
        `/v1/validations/digits/gate/replay?since=${time}`,
        `${observations}?from=${time}`,
        `${observations}?cursor=${cursor('newest', decodeURIComponent(time), randomUUIDv7())}`,
      ]),
      '/v1/audit?validation=%00',
      '/v1/audit?actor=%00',
      '/v1/promotions?validation=%00',
      '/v1/validations/digits/metrics?slice=class%3D%00',
      '/v1/validations/digits/pairs?slice=class%3D%00',
      ...['worst', 'newest', 'typical'].map((order) => `${observations}?order=${order}&slice=class%3D%00`),
    ]
    for (const path of paths) {
      const { status, body } = await comparator.call('GET', path, { token: tokens.admin })
      expect([path, status, body.code]).toEqual([path, 400, 'BAD_REQUEST'])
    }
    const body = { gateId: randomUUIDv7(), comment: 'a\u0000b' }
    const request = await comparator.call('POST', '/v1/validations/digits/promotion', { token: tokens.admin, body })
    expect([request.status, request.body.code]).toEqual([400, 'BAD_REQUEST'])
  })

  test('takes JSON and MessagePack, and says so of anything else', async () => {
    for (const type of ['text/plain', 'application/xml']) {
      const answer = await comparator.call('POST', '/v1/observations', { body: 'x', headers: { 'content-type': type } })
      expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
    }
    const headers = { 'content-encoding': 'gzip' }
    const packed = await comparator.call('POST', '/v1/observations', { body: gzipSync('{"observations":[]}'), headers })
    expect(packed).toMatchObject({ status: 415, body: { message: expect.stringContaining('got gzip') } })
    expect((await comparator.call('GET', '/healthz', { headers })).status).toBe(200)
  })
})
