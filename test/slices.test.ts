import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SlicesView } from '../vocabulary/slice/slices.ts'
import {
  classification,
  observation,
  scores,
  startTestComparator,
  type TestComparator,
  tokens,
} from './support/comparator.ts'

const now = Date.now()
const gate = [
  { metric: 'agreement', min: 0.7 },
  { metric: 'agreement', slice: 'class=2', min: 0.9 },
  { metric: 'latency.candidate.p50', slice: 'tenant=acme', max: 100 },
  { metric: 'latency.candidate.mean', slice: 'tenant=acme', relativeTo: 'primary', maxRatio: 0.9 },
  { metric: 'agreement', slice: 'tenant=nobody', min: 0.5 },
  { metric: 'errorRate.delta', max: 0.05 },
]
const validation = { ...classification, slices: [{ name: 'tenant', header: 'x-tenant' }], gate }

let comparator: TestComparator
const get = async (path: string) => comparator.call('GET', `/v1/validations/digits${path}`, { token: tokens.viewer })
const bodyOf = async (path: string) => (await get(path)).body

/** A minute of traffic in which the candidate is right, except every other time for class 2. */
const bundle = Array.from({ length: 600 }, (_, i) => {
  const top = i % 3
  const one = observation({
    at: now - 59_900 + i * 100,
    primary: scores(top),
    candidate: i === 10 ? { kind: 'timedOut', totalMs: 900 } : scores(top === 2 && i % 2 === 0 ? 0 : top),
    primaryMs: 20,
    candidateMs: 10 + (i % 5),
  })
  return { ...one, request: { ...one.request, headers: { 'X-Tenant': i % 7 === 0 ? 'acme' : 'beta' } } }
})

beforeAll(async () => {
  comparator = await startTestComparator([validation])
  for (let at = 0; at < bundle.length; at += 200) await comparator.post(bundle.slice(at, at + 200))
})
afterAll(() => comparator?.close())

describe('the worst slices', () => {
  test('are the ones proven worse, listed first', async () => {
    const view: SlicesView = await bodyOf('/slices')
    expect(view).toMatchObject({ metric: 'agreement', better: 'higher' })
    expect(view.overall.estimate).toBeCloseTo(1 - (100 + 1) / 600, 9)
    expect(view.slices[0]).toMatchObject({ slice: 'class=2', dimension: 'class', value: '2', n: 200, worse: true })
    expect(view.slices[0]!.share).toBeCloseTo(1 / 3, 9)
    expect(view.slices[0]!.estimate).toBeCloseTo(0.5, 9)
    expect(view.slices.filter(({ worse }) => worse).map(({ slice }) => slice)).toEqual(['class=2'])
    expect(view.confidence).toBeCloseTo(1 - 0.05 / view.slices.length, 12)
    expect(view.dimensions.map(({ name }) => name)).toEqual(['route', 'bodySize', 'class', 'hour', 'tenant'])
    expect(view.slices.map(({ slice }) => slice)).toContain('tenant=beta')
  })

  test('of a quantile and of another metric have bounds of their own', async () => {
    const slow: SlicesView = await bodyOf('/slices?metric=latency.candidate.p95')
    expect(slow.better).toBe('lower')
    const acme = slow.slices.find(({ slice }) => slice === 'tenant=acme')!
    expect(acme.estimate).toBeGreaterThan(13)
    expect(acme.lower).not.toBeNull()
  })

  test('of an unknown metric are refused clearly', async () => {
    for (const metric of ['mae', 'coverage']) {
      const { status, body } = await get(`/slices?metric=${metric}`)
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
      expect(body.message).toMatch(/expected one of agreement/)
    }
  })

  test('over a span are those of that span', async () => {
    const from = new Date(now - 30_000).toISOString()
    const view: SlicesView = await bodyOf(`/slices?from=${from}`)
    expect(view.overall.n).toBeLessThan(330)
    expect(view.overall.n).toBeGreaterThan(280)
  })
})

describe('a slice has', () => {
  test('the same metrics as all traffic, over time too', async () => {
    const view = await bodyOf('/metrics?slice=class%3D2&step=10s')
    expect(view).toMatchObject({ slice: 'class=2', output: '' })
    expect(view.totals).toMatchObject({ samples: 200, agreement: 0.5, coverage: null })
    expect(view.confusion.counts[2]).toEqual([100, 0, 100])
    expect(view.bounds.agreement.lower).toBeGreaterThan(0.3)
    const samples = view.series.map(({ samples }: { samples: number }) => samples)
    expect(samples.reduce((sum: number, n: number) => sum + n, 0)).toBe(200)
    expect(view.distributions.latency.candidate.reduce((sum: number, n: number) => sum + n, 0)).toBe(200)
  })

  test('an hour of the day, and the hours add up to all traffic', async () => {
    const hours = new Set(bundle.map(({ at }) => at.slice(11, 13)))
    let samples = 0
    for (const hour of hours) {
      const view = await bodyOf(`/metrics?slice=hour%3D${hour}`)
      samples += view.totals.samples
      expect(view.totals.latency.candidate.p50).toBeGreaterThan(9)
    }
    expect(samples).toBe(600)
  })

  test('no evidence if none ever arrived, and is refused if it is not a slice', async () => {
    expect((await bodyOf('/metrics?slice=tenant%3Dnobody')).totals).toMatchObject({ samples: 0, agreement: null })
    for (const path of ['/metrics?slice=planet%3Dmars', '/observations?slice=class', '/pairs?slice=x%3D1']) {
      const { status, body } = await get(path)
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
      expect(body.message).toContain('route, bodySize, class, hour, tenant')
    }
  })
})

describe('the gate', () => {
  test('judges a check of a slice by the slice alone', async () => {
    const { checks, verdict, reason } = await bodyOf('/gate')
    const of = (slice: string | undefined, relative = false) =>
      checks.find((check: any) => check.slice === slice && (check.relative !== undefined) === relative)
    expect(of('class=2')).toMatchObject({ metric: 'agreement', n: 200, estimate: 0.5, verdict: 'fail' })
    expect(of('class=2').text).toMatch(/^class=2: agreement 0\.5/)
    expect(of('tenant=acme')).toMatchObject({ metric: 'latency.candidate.p50', n: 86, verdict: 'pass' })
    expect(of('tenant=acme', true)).toMatchObject({ relative: { to: 'primary', by: 'ratio' }, n: 86, verdict: 'pass' })
    expect(of('tenant=nobody')).toMatchObject({ n: 0, estimate: null, verdict: 'inconclusive' })
    expect(verdict).toBe('fail')
    expect(reason).toMatch(/class=2/)
  })

  test('comes to the same result from the stored input', async () => {
    const { evaluations, summary } = await bodyOf('/gate/replay')
    expect(evaluations.length).toBeGreaterThan(0)
    expect(summary.different).toBe(0)
    expect(evaluations[0].from).not.toBe('notReplayable')
  })
})

describe('observations', () => {
  test('can be filtered by slice, kind of comparison and time span, in any order', async () => {
    const page = (query: string) => bodyOf(`/observations?limit=200&${query}`)
    for (const order of ['worst', 'newest', 'typical']) {
      const { observations } = await page(`order=${order}&slice=class%3D2`)
      expect(observations.length).toBeGreaterThan(10)
      expect(observations.every((one: any) => one.slices.class === '2')).toBe(true)
    }
    const { observations: failed } = await page('comparison=failed')
    expect(failed.map(({ id }: { id: string }) => id)).toEqual([bundle[10]!.id])
    const [from, to] = [bundle[100]!.at, bundle[110]!.at]
    const { observations: spanned } = await page(`from=${from}&to=${to}`)
    expect(spanned).toHaveLength(10)
    const hour = bundle[0]!.at.slice(11, 13)
    const { observations: within } = await page(`slice=hour%3D${hour}&order=newest`)
    expect(within.every((one: any) => one.slices.hour === hour)).toBe(true)
    expect((await page('slice=tenant%3Dnobody&order=typical')).observations).toEqual([])
  })

  test('that are typical come page by page, each once', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { observations, nextCursor } = await bodyOf(`/observations?order=typical&limit=150${cursor}`)
      seen.push(...observations.map(({ id }: { id: string }) => id))
      cursor = nextCursor && `&cursor=${nextCursor}`
    } while (cursor)
    expect(seen.length).toBeGreaterThanOrEqual(500)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('as pairs of numbers, for a scatter', async () => {
    const { of, pairs } = await bodyOf('/pairs?limit=100&slice=')
    expect(of).toBe('topScore')
    expect(pairs).toHaveLength(100)
    expect(pairs[0]).toMatchObject({ primary: 0.8, candidate: 0.8 })
  })
})
