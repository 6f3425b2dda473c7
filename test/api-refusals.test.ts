import { randomUUIDv7 } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'

let comparator: TestComparator
beforeAll(async () => {
  comparator = await startTestComparator([classification])
})
afterAll(() => comparator?.close())

test('the API says who may do what', async () => {
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

test('the API answers every error as code and message', async () => {
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

test('the API says what it expected, in words', async () => {
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
      '/v1/validations/digits/metrics?slice=hour%3D8',
      {},
      'slice: expected an hour from hour=00 to hour=23, in UTC',
    ],
    ['GET', '/v1/validations/digits/metrics?slcie=class%3D1', {}, 'slcie: expected no such parameter; there are from,'],
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

test('the API tells programs where it expected what, even for values that fit the schema but make no sense', async () => {
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
  const promotion = '/v1/validations/digits/promotion'
  const body = { gateId: '0193a000-0000-7000-8000-000000000000', comment: ' ', override: true }
  expect((await comparator.call('POST', promotion, { token: tokens.admin, body })).body).toMatchObject({
    message: 'comment: expected the reason for the override',
    details: [{ in: 'body', path: 'comment', expected: 'the reason for the override' }],
  })
})

test('the API names the methods that a path takes', async () => {
  const put = await comparator.call('PUT', '/v1/validations/digits/promotion', { token: tokens.admin, body: '{' })
  expect([put.status, put.body.code, put.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST'])
  const post = await comparator.call('POST', '/v1/audit', { token: '' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  for (const method of ['QUERY', 'PROPFIND']) {
    const rare = await comparator.call(method, '/v1/validations/digits/gate', { token: tokens.admin })
    expect([rare.status, rare.body.code, rare.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD'])
  }
  expect((await comparator.call('POST', '/v1/nowhere', { token: tokens.admin })).status).toBe(404)
})

test('the API refuses what no database can store, instead of failing', async () => {
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
    // a query's 1e400 becomes Infinity if it is coerced
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

test('the API accepts JSON and MessagePack, and says so if it gets anything else', async () => {
  for (const type of ['text/plain', 'application/xml']) {
    const answer = await comparator.call('POST', '/v1/observations', { body: 'x', headers: { 'content-type': type } })
    expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
  }
  const headers = { 'content-encoding': 'gzip' }
  const packed = await comparator.call('POST', '/v1/observations', { body: gzipSync('{"observations":[]}'), headers })
  expect(packed).toMatchObject({ status: 415, body: { message: expect.stringContaining('got gzip') } })
  expect((await comparator.call('GET', '/healthz', { headers })).status).toBe(200)
})

/** As it stands: fetch would resolve the dots itself. */
const statusAt = (path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(comparator.url, { path }, (answer: IncomingMessage) => {
      answer.resume()
      resolve(answer.statusCode)
    }).on('error', reject)
  })

test('no path leads out of the dashboard’s folder', async () => {
  expect(await statusAt('/index.html')).toBe(200)
  const source = 'index.html' // of the page's source, one folder above the built one
  for (const up of ['/../', '/%2e%2e/', '/..%2f', '/..%5c', '//../', '/assets/../../', '/assets/..%2f..%2f']) {
    expect(await statusAt(`${up}${source}`), up).toBe(404)
  }
})

test('no page of another origin may read or preflight the API', async () => {
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' }
  for (const method of ['GET', 'OPTIONS']) {
    const answer = await fetch(`${comparator.url}/v1/session`, { method, headers })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.ok).toBe(false)
  }
})
