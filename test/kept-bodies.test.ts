import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keptBodyBytesMax } from '../comparator/jobs/intake/keep-bodies.ts'
import { observation, regression, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'

let comparator: TestComparator
const now = Date.now()

const rows = {
  ...regression,
  name: 'rows',
  output: { kind: 'classification', label: '/rows/*' },
  gate: [{ metric: 'agreement', min: 0.9 }],
}

beforeAll(async () => {
  comparator = await startTestComparator([
    regression,
    rows,
    { ...regression, name: 'redacted', store: { bodies: 'all', redact: ['/user/name'] } },
    { ...regression, name: 'none', store: { bodies: 'none' } },
    { ...regression, name: 'worst', store: { bodies: 'worst' } },
    { ...regression, name: 'full', store: { bodies: 'worst', bytesMax: '1B' } },
  ])
})
afterAll(() => comparator?.close())

const shown = async ({ id }: { id: string }) =>
  (await comparator.call('GET', `/v1/observations/${id}`, { token: tokens.viewer })).body

/** Delivers an observation and returns it as the API shows it. */
async function kept(sent: { id: string }) {
  await comparator.post([sent])
  return shown(sent)
}

test('bodies are kept as configured, redacted before anything is stored', async () => {
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
  const body = await kept(secret)
  expect(JSON.stringify(body)).not.toContain('Ada')
  expect(body.request.body).toBe('{"user":{"name":"[redacted]"},"x":1}')
  expect(body.bodies.candidate.body).toBe('{"prediction":3,"user":{"name":"[redacted]"}}')
})

test('a body that cannot be redacted is not stored, and says so; queries and forms are redacted by name', async () => {
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
  const body = await kept(secret)
  expect(JSON.stringify(body)).not.toContain('Ada')
  expect(body.request).toMatchObject({
    path: '/price?token=[redacted]&user[name]=[redacted]&x=1',
    body: 'user[name]=[redacted]&x=1',
  })
  expect(body.bodies).toMatchObject({ primary: { body: '{"prediction":1}' }, candidate: null })
  expect(body.withheld).toEqual({ candidate: 'notRedactable' })
})

test('rows whose bodies are too large to store are shown by their labels', async () => {
  const padding = 'x'.repeat(keptBodyBytesMax)
  const large = observation({
    validation: 'rows',
    at: now,
    primary: { rows: ['cat', 'dog'], padding },
    candidate: { rows: ['cat', 'cat'], padding },
  })
  const body = await kept(large)
  expect(body.withheld).toEqual({ primary: 'tooLarge', candidate: 'tooLarge' })
  expect(body.pairs).toMatchObject([{ output: '', pair: { kind: 'rows', rows: 2, differing: 1 } }])
})

test('bytes that look like text are stored unchanged', async () => {
  const bytes = Buffer.from([0, 0, 0, 0x3f])
  const sent = observation({
    validation: 'price',
    at: now,
    primary: { prediction: 1 },
    candidate: { prediction: 1 },
    request: { method: 'POST', path: '/price', body: bytes.toString('base64'), bodyEncoding: 'base64' },
  })
  const body = await kept(sent)
  expect(Buffer.from(body.request.body, body.request.bodyEncoding)).toEqual(bytes)
})

test('a compressed body is redacted and stored uncompressed', async () => {
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
  const body = await kept(zipped)
  expect(body.comparison).toBe('compared')
  expect(body.bodies.candidate).toEqual({
    contentType: 'application/json',
    body: '{"prediction":2,"user":{"name":"[redacted]"}}',
    bodyEncoding: 'utf8',
  })
})

test('an observation says why it has no bodies', async () => {
  const pair = (validation: string, prediction: number, at = now) =>
    observation({ validation, at, primary: { prediction: 1 }, candidate: { prediction } })
  const whyWithout = async (sent: { id: string }) => (await kept(sent)).keeping.without
  expect(await whyWithout(pair('none', 2))).toBe('none')
  expect(await whyWithout(pair('worst', 2))).toBeNull()
  expect(await whyWithout(pair('worst', 2, now - 4 * 86_400_000))).toBe('expired')
  expect(await whyWithout(pair('full', 2))).toBe('overBudget')
  // of many that agree only the first few of a sample have theirs
  await comparator.post(Array.from({ length: 200 }, () => pair('worst', 1)))
  const path = '/v1/validations/worst/observations?limit=200'
  const { body: page } = await comparator.call('GET', path, { token: tokens.viewer })
  const without = page.observations.find(({ bodiesKept }: { bodiesKept: boolean }) => !bodiesKept)
  expect((await shown(without)).keeping.without).toBe('notExample')
})
