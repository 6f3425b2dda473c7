import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { observation, regression, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'

const now = Date.now()
const validation = {
  ...regression,
  outputs: {
    label: { kind: 'classification', scores: '/scores', labels: ['no', 'yes'] },
    vector: { kind: 'embedding', vector: '/vector' },
  },
  gate: [
    { metric: 'mae', max: 1 },
    { metric: 'outputs.label.agreement', min: 0.6 },
    { metric: 'outputs.vector.cosine.p05', min: 0.9 },
  ],
}
const answer = (prediction: number, yes: number, vector: unknown = [1, 0]) => ({
  prediction,
  scores: [1 - yes, yes],
  ...(vector !== undefined && { vector }),
})

let comparator: TestComparator
const get = async (path: string) =>
  (await comparator.call('GET', `/v1/validations/price${path}`, { token: tokens.viewer })).body
beforeAll(async () => {
  comparator = await startTestComparator([validation])
  const bundle = Array.from({ length: 400 }, (_, i) =>
    observation({
      validation: 'price',
      at: now - 59_900 + i * 150,
      primary: answer(i, 0.9),
      // the label is wrong every fourth time, the vector missing every fortieth
      candidate: answer(i + 0.5, i % 4 === 0 ? 0.1 : 0.8, i % 40 === 0 ? 'none' : [3, 0.1]),
    }),
  )
  expect(await comparator.post(bundle)).toMatchObject({ accepted: 400, rejected: [] })
})
afterAll(() => comparator?.close())

describe('several outputs of one answer', () => {
  test('have metrics of their own, besides the main output’s', async () => {
    const { totals, bounds } = await get('/metrics')
    expect(totals).toMatchObject({ mae: 0.5, samples: 400 })
    expect(totals.outputs.label.agreement).toBeCloseTo(0.75, 12)
    expect(totals.outputs.vector.cosine).toBeCloseTo(3 / Math.hypot(3, 0.1), 9)
    expect(totals.outputs.vector.failed).toEqual({ unmapped: 10 })
    expect(totals.outputs.vector.unmapped).toEqual({ candidate: { type: 10 } })
    expect(totals.outputs.vector.cosineQuantiles.p50).toBeCloseTo(1, 2)
    expect(bounds['outputs.label.kappa'].estimate).not.toBeUndefined()
    expect(totals.outputs.label.latency).toBeUndefined()
  })

  test('share one error rate: an answer that lacks any of them is an error', async () => {
    const { totals } = await get('/metrics')
    expect(totals.errorRate).toEqual({ primary: 0, candidate: 10 / 400, delta: 10 / 400 })
  })

  test('have distributions and a confusion matrix each', async () => {
    const label = await get('/metrics?output=label')
    expect(label).toMatchObject({ output: 'label', slice: '' })
    expect(label.confusion).toEqual({
      labels: ['no', 'yes'],
      counts: [
        [0, 0],
        [100, 300],
      ],
    })
    expect(label.distributions.output.primary.reduce((sum: number, n: number) => sum + n, 0)).toBe(400)
    expect((await get('/metrics')).confusion).toBeNull()
    const { code, message } = await get('/metrics?output=planet')
    expect([code, message]).toEqual(['BAD_REQUEST', expect.stringContaining('label, vector')])
  })

  test('are judged by the gate', async () => {
    const { checks } = await get('/gate')
    const of = (metric: string) => checks.find((check: any) => check.metric === metric)
    expect(of('outputs.label.agreement')).toMatchObject({ n: 400, estimate: 0.75, verdict: 'pass' })
    expect(of('outputs.vector.cosine.p05')).toMatchObject({ n: 390, verdict: 'pass' })
    expect(of('outputs.vector.cosine.p05').text).toMatch(/0 % of 390 exchanges were under 0\.9/)
  })

  test('are sliced in the same way', async () => {
    const { slices, better } = await get('/slices?metric=outputs.label.agreement')
    expect(better).toBe('higher')
    expect(slices.find((one: any) => one.slice === 'route=/predictions/digits')).toMatchObject({ n: 400, share: 1 })
  })

  test('are shown with each observation, and as pairs', async () => {
    const { observations } = await get('/observations?limit=1&order=newest')
    expect(observations[0].outputs.label).toMatchObject({
      comparison: 'compared',
      primary: { label: 'yes' },
      candidate: { label: 'yes' },
    })
    const { pairs, of } = await get('/pairs?output=label&limit=50')
    expect(of).toBe('topScore')
    expect(pairs.every(({ primary }: { primary: number }) => primary === 0.9)).toBe(true)
    expect((await get('/pairs?limit=500')).pairs.every((pair: any) => pair.candidate === pair.primary + 0.5)).toBe(true)
    expect((await get('/pairs?output=vector')).message).toMatch(/of the kind embedding/)
    expect((await get('')).outputs).toEqual([
      { name: 'label', kind: 'classification' },
      { name: 'vector', kind: 'embedding' },
    ])
  })

  test('that the mapping cannot read are reported with what was there instead, in the list and in the observation', async () => {
    const { observations } = await get('/observations?limit=40&order=newest')
    const unread = observations.find((one: any) => one.outputs.vector.comparison !== 'compared')
    const vector = {
      comparison: 'failed',
      reason: 'unmapped',
      problem: "the candidate's /vector: expected a number or numbers, found a string of 4 characters",
    }
    expect(unread).toMatchObject({ comparison: 'compared', outputs: { vector } })
    expect(unread.outputs.label).not.toHaveProperty('problem')
    const { body } = await comparator.call('GET', `/v1/observations/${unread.id}`, { token: tokens.viewer })
    expect(body.outputs.vector).toMatchObject(vector)
  })

  test('accept no labels, and say so', async () => {
    const label = { validation: 'price', correlationId: 'x', value: 1, output: 'label' }
    const { body } = await comparator.call('POST', '/v1/labels', { body: { labels: [label] } })
    expect(body.rejected[0]).toMatchObject({ code: 'INVALID_LABEL', message: expect.stringContaining('main output') })
  })
})
