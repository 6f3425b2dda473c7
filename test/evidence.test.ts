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
    { ...regression, name: 'unlabelled' },
    { ...regression, name: 'versions' },
    { ...classification, name: 'labels', gate: [...classification.gate, { metric: 'labelCoverage', min: 0.6 }] },
    { ...classification, name: 'row-labels', output: { kind: 'classification', label: '/*' } },
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
  test('are accepted once, however often and with whatever others they are delivered', async () => {
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

  test('with a status that no standard defines are evidence too', async () => {
    const odd = observation({ validation: 'odd', at: now, primary: { prediction: 1 }, candidate: { prediction: 1 } })
    odd.candidate = { kind: 'answered', status: 999, totalMs: 1, version: '1' }
    expect(await comparator.post([odd])).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
    expect((await metrics('odd')).totals.errorRate.candidate).toBe(1)
  })

  test('treat null members as omitted, and have valid timestamps', async () => {
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

  test('that are invalid are rejected individually, each with its reason', async () => {
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

  test('may contain what PostgreSQL cannot store: U+0000, lone surrogates, prototype names', async () => {
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

  test('may come as MessagePack', async () => {
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

  test('may not have binary data in MessagePack, where each byte would count as an object member', async () => {
    const bytes = new Uint8Array(4_000_000)
    const one = observation({ validation: 'malformed', at: now, primary: {}, candidate: {} })
    const headers = { 'content-type': 'application/x-msgpack' }
    const before = process.cpuUsage()
    for (const observations of [bytes, [{ ...one, request: { ...one.request, headers: bytes } }]]) {
      const body = encode({ observations })
      const refused = await comparator.call('POST', '/v1/observations', { body, headers })
      const message = expect.stringMatching(/: expected whole MessagePack without binary data: .*bin length/)
      expect(refused.body).toMatchObject({ code: 'BAD_REQUEST', message })
    }
    // as object members these would take 25 s of CPU and 4.5 GB
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000)
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

  test('join their observations once, whichever comes first', async () => {
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

  test('that contradict each other, or do not fit, are refused with the reason', async () => {
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

describe('labels of several rows', () => {
  const validation = 'row-labels'
  const rowsOf = (correlationId: string, primary: unknown, candidate: unknown) =>
    observation({ validation, at: now - 5000, correlationId, primary, candidate })
  const post = async (...labels: [correlationId: string, label: unknown][]) => {
    const body = { labels: labels.map(([correlationId, label]) => ({ validation, correlationId, label })) }
    return (await comparator.call('POST', '/v1/labels', { body })).body
  }

  test('join their observations once, whichever comes first, and may leave rows open', async () => {
    expect(await post(['early', ['cat', null, 'dog', 'dog']], ['other', ['cat']])).toMatchObject({
      accepted: 2,
      rejected: [],
    })
    await comparator.post([
      rowsOf('early', ['cat', 'cat', 'cat', 'dog'], ['cat', 'dog', 'dog', 'dog']),
      rowsOf('late', ['cat', 'dog'], { error: 'no rows' }),
      rowsOf('other', ['cat', 'dog'], ['cat', 'dog']),
    ])
    const late = ['late', ['cat', 'cat']] as [string, unknown]
    expect(await post(late)).toMatchObject({ accepted: 1, rejected: [] })
    expect(await post(late)).toMatchObject({ accepted: 0, duplicates: 1, rejected: [] })
    const { totals } = await metrics(validation)
    expect(totals).toMatchObject({ labelled: 2, misfitLabels: 1, labelCoverage: expect.closeTo(1.75 / 3, 12) })
    expect(totals.accuracy).toMatchObject({
      primary: expect.closeTo((2 / 3 + 1 / 2) / 2, 12),
      candidate: expect.closeTo((1 + 0) / 2, 12),
      drift: expect.closeTo((1 / 3 - 1 / 2) / 2, 12),
    })
    const path = `/v1/validations/${validation}/observations?order=newest`
    const { observations } = (await comparator.call('GET', path, { token: tokens.viewer })).body
    const truths = observations.map((of: any) => [of.correlationId, of.truth])
    expect(truths).toContainEqual(['early', { label: ['cat', null, 'dog', 'dog'] }])
    await post(['many', Array(32).fill('cat')])
    await comparator.post([rowsOf('many', Array(32).fill('cat'), Array(32).fill('cat'))])
    const [many] = (await comparator.call('GET', path, { token: tokens.viewer })).body.observations.filter(
      (of: any) => of.correlationId === 'many',
    )
    expect(many.truth).toEqual({ label: Array(10).fill('cat'), elements: 32 })
    const whole = (await comparator.call('GET', `/v1/observations/${many.id}`, { token: tokens.viewer })).body
    expect(whole.truth).toEqual({ label: Array(32).fill('cat') })
  })

  test('may come in parts, and each row counts once', async () => {
    const before = (await metrics(validation)).totals
    await comparator.post([rowsOf('parts', ['cat', 'cat', 'cat'], ['cat', 'dog', 'dog'])])
    expect(await post(['parts', ['cat', null, null]])).toMatchObject({ accepted: 1, rejected: [] })
    const last = ['parts', [null, null, 'dog']] as [string, unknown]
    expect(await post(last, last, ['parts', ['cat', null, 'dog']])).toMatchObject({ accepted: 1, duplicates: 2 })
    const { totals } = await metrics(validation)
    expect(totals.labelled).toBe(before.labelled + 1)
    const grown = (of: any, mean: number) => of.labelCoverage * of.samples + mean
    expect(totals.labelCoverage * totals.samples).toBeCloseTo(grown(before, 2 / 3), 12)
    const accuracy = (of: any, side: 'primary' | 'candidate') => of.accuracy[side] * of.labelled
    expect(accuracy(totals, 'primary') - accuracy(before, 'primary')).toBeCloseTo(1 / 2, 12)
    expect(accuracy(totals, 'candidate') - accuracy(before, 'candidate')).toBeCloseTo(1, 12)
  })

  test('of another number than the answer has are refused, or replaced if they came before it', async () => {
    expect(await post(['short', ['cat']])).toMatchObject({ accepted: 1, rejected: [] })
    const before = (await metrics(validation)).totals
    await comparator.post([rowsOf('short', ['cat', 'dog'], ['cat', 'cat'])])
    const misfit = (await metrics(validation)).totals
    expect([misfit.misfitLabels, misfit.labelled]).toEqual([(before.misfitLabels ?? 0) + 1, before.labelled])
    const refused = await post(['short', ['cat', 'dog', 'dog']], ['short', ['cat']])
    expect(refused.rejected).toEqual([
      {
        index: 0,
        code: 'INVALID_LABEL',
        message: 'correlationId short has 2 rows in its answer, got labels for 3 rows',
      },
      {
        index: 1,
        code: 'INVALID_LABEL',
        message: 'correlationId short has 2 rows in its answer, got labels for one row',
      },
    ])
    expect(await post(['short', ['cat', null]])).toMatchObject({ accepted: 1, rejected: [] })
    const { totals } = await metrics(validation)
    expect([totals.misfitLabels, totals.labelled]).toEqual([before.misfitLabels, before.labelled + 1])
  })

  test('of which a row contradicts what stands are refused whole', async () => {
    const { rejected } = await post(['parts', ['cat', 'dog', 'cat']])
    expect(rejected).toMatchObject([{ index: 0, code: 'LABEL_CONFLICT' }])
    expect(rejected[0].message).toBe('correlationId parts already has the label "dog" in row 2')
    expect(await post(['parts', ['cat', 'dog', 'dog']])).toMatchObject({ accepted: 1, rejected: [] })
  })

  test('are lists in which at least one row is known', async () => {
    const { rejected } = await post(['a', 'cat'], ['b', []], ['c', [null, null]])
    const expected = 'expected a list of labels, one a row, null where it is not known'
    expect(rejected.map(({ message }: { message: string }) => message)).toEqual(
      Array(3).fill(`${validation} is a classification of rows: ${expected}`),
    )
    const misfits = await post(['d', ['cat', 1]], ['e', [['cat'], 'cat']], ['f', ['x'.repeat(201)]])
    expect(misfits.rejected.map(({ message }: { message: string }) => message)).toEqual(
      [1, 0, 0].map((row) => `label[${row}]: expected a text of at most 200 characters, or null`),
    )
    const [conflict] = (await post(['early', ['cat', 'cat', 'dog', 'cat']])).rejected
    expect(conflict.code).toBe('LABEL_CONFLICT')
    expect(conflict.message).toBe('correlationId early already has the label "dog" in row 3')
    expect(await post(['awaited', ['cat', 'dog']])).toMatchObject({ accepted: 1 })
    const conflicts = (await post(...Array(3).fill(['awaited', ['cat']]))).rejected
    const awaited = 'correlationId awaited already has labels for 2 rows: expected as many rows'
    expect(conflicts.map(({ message }: { message: string }) => message)).toEqual(Array(3).fill(awaited))
    const one = { validation: 'labels', correlationId: 'rows', label: ['1', '2'] }
    const { body } = await comparator.call('POST', '/v1/labels', { body: { labels: [one] } })
    expect(body.rejected[0].message).toBe('labels is a classification: expected a label, a string')
  })
})

describe('coverage', () => {
  test('counts what the mirrors skipped, and a repeated report changes nothing', async () => {
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
    // exchanges left out by sampling are counted, but do not reduce coverage
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

  test('for part of the time cover only that part', async () => {
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
