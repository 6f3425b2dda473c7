import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { modelFile, startTestCandidateServer, startTestMirror, temporaryDirectory } from './support/services.ts'

const labels = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const digits = readFileSync(join(import.meta.dirname, '../deploy/demo/data/digits.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { id: string; image: string; label: string })

const model = (version: string, file: string) => ({
  name: 'digits',
  version,
  path: modelFile(file),
  adapter: 'image',
  labels,
})
const validation = (name: string) => ({
  name,
  output: { kind: 'classification', scores: '/predictions', label: '/label', labels },
  window: { duration: '30s', samplesMin: 200, coverageMin: 0.9 },
  gate: [
    { metric: 'agreement', min: 0.95 },
    { metric: 'errorRate.delta', max: 0.05 },
  ],
  rollout: { steps: [50, 100], stepDuration: '1s' },
})

let sent = 0
const beganAt = Date.now()
/** Passes by requests, twenty a second, so that a window has as much evidence on a slow machine as on a quick one. */
const clock = { ...systemClock, now: () => beganAt + sent * 50 }

const closing: (() => unknown)[] = []
let comparator: TestComparator
let mirrorUrl: string
let adminUrl: string

beforeAll(async () => {
  comparator = await startTestComparator([validation('good'), validation('bad')], { clock })
  closing.push(() => comparator.close())
  const primary = await startTestCandidateServer([model('teacher', 'digits-teacher.onnx')])
  const good = await startTestCandidateServer([model('student', 'digits-student-int8.onnx')])
  const bad = await startTestCandidateServer([model('dim', 'digits-bad-int8.onnx')])
  const spool = temporaryDirectory()
  const mirror = await startTestMirror({
    primary: primary.url,
    comparator: comparator.url,
    spool: spool.path,
    clock,
    routes: [
      {
        path: '/predictions/digits',
        correlation: { header: 'x-request-id' },
        candidates: [
          { validation: 'good', url: good.url },
          { validation: 'bad', url: bad.url },
        ],
      },
    ],
  })
  closing.push(
    spool.remove,
    () => primary.stop(),
    () => good.stop(),
    () => bad.stop(),
    () => mirror.stop(),
  )
  mirrorUrl = mirror.url
  adminUrl = mirror.adminUrl
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

async function classify(): Promise<string> {
  const digit = digits[sent++ % digits.length]!
  const response = await fetch(`${mirrorUrl}/predictions/digits`, {
    method: 'POST',
    headers: { 'content-type': 'image/png', 'x-request-id': `request-${sent}` },
    body: Buffer.from(digit.image, 'base64'),
  })
  const answer = (await response.json()) as { label: string }
  expect(response.status).toBe(200)
  expect(labels).toContain(answer.label)
  return response.headers.get('x-model-version')!
}

/** Sends traffic until a condition holds; returns the value for which it does. */
async function trafficUntil<Value>(
  what: string,
  read: () => Promise<Value>,
  holds: (value: NonNullable<Value>) => boolean,
): Promise<NonNullable<Value>> {
  let running = true
  const clients = Array.from({ length: 4 }, async () => {
    while (running) {
      await classify()
      await sleep(50)
    }
  })
  try {
    return await waitFor(what, read, holds, 180_000)
  } finally {
    running = false
    await Promise.all(clients)
  }
}

const get = async (path: string) => (await comparator.call('GET', path, { token: tokens.approver })).body
const verdict = async (name: string) => (await get(`/v1/validations/${name}/gate`)).verdict

/** In so short a window, the verdict may change between reading it and the request. */
async function promoteOnTheGateOfNow() {
  const gate = await get('/v1/validations/good/gate')
  return comparator.call('POST', '/v1/validations/good/promotion', {
    token: tokens.approver,
    body: { gateId: gate.id, comment: 'as good' },
  })
}

test('real models under real traffic: the good candidate passes and takes over, the bad one fails', {
  timeout: 600_000,
}, async () => {
  await trafficUntil(
    'both verdicts',
    async () => [await verdict('good'), await verdict('bad')],
    ([good, bad]) => good === 'pass' && bad === 'fail',
  )
  const { totals, confusion } = await get('/v1/validations/bad/metrics')
  expect(totals.agreement).toBeGreaterThan(0.75)
  expect(totals.agreement).toBeLessThan(0.95)
  expect(confusion.labels).toEqual(labels)

  const worst = await get('/v1/validations/bad/observations?order=worst&limit=1')
  const { request } = await get(`/v1/observations/${worst.observations[0].id}`)
  const image = Buffer.from(request.body, request.bodyEncoding)
  expect(digits.some((digit) => image.equals(Buffer.from(digit.image, 'base64')))).toBe(true)

  const { body: promotion } = await trafficUntil('the promotion', promoteOnTheGateOfNow, ({ status }) => status === 201)
  expect(promotion.state).toBe('rollingOut')
  await trafficUntil(
    'the end of the rollout',
    () => get('/v1/validations/good'),
    ({ state }) => state === 'promoted',
  )
  expect([await classify(), await classify(), await classify()]).toEqual(['student', 'student', 'student'])
  const reverse = await waitFor(
    'an exchange in which the candidate is live',
    () => get('/v1/validations/good/observations?order=newest&limit=1'),
    ({ observations: [newest] }) => newest.live === 'candidate',
  )
  // the sides are never swapped: the primary is the teacher, whoever answers the client
  expect(reverse.observations[0].primary.version).toBe('teacher')
  expect(reverse.observations[0].candidate.version).toBe('student')

  await comparator.call('POST', `/v1/promotions/${promotion.id}/rollback`, {
    token: tokens.approver,
    body: { comment: 'back' },
  })
  await waitFor('the teacher to answer again', classify, (version) => version === 'teacher')

  const { validations } = await waitFor(
    'every observation to be delivered',
    async () => (await (await fetch(`${adminUrl}/ledger`)).json()) as { validations: Record<string, any> },
    (ledger) => Object.values(ledger.validations).every(({ pending }) => pending === 0),
  )
  expect(validations.good).toMatchObject({ seen: sent, delivered: sent, skipped: {} })
})
