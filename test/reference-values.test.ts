import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'

/** Inputs with SciPy's results, posted as a mirror would and read as the dashboard would. */
const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, '../comparator/statistics/reference.json'), 'utf8'))

let comparator: TestComparator
const now = Date.now()
const policy = { window: { duration: '1h', samplesMin: 10 }, gate: [{ metric: 'errorRate.delta', max: 1 }] }

beforeAll(async () => {
  const regressions = ['small', 'heavy', 'vector', 'latency', 'drift'].map((name) => ({
    name,
    output: { kind: 'regression', value: '/y' },
    ...policy,
  }))
  const classes = {
    name: 'classes',
    output: { kind: 'classification', scores: '/p', labels: ['0', '1', '2', '3', '4'] },
    ...policy,
  }
  comparator = await startTestComparator([...regressions, classes])
})
afterAll(() => comparator?.close())

async function totalsOf(
  validation: string,
  pairs: { primary: unknown; candidate: unknown }[],
  more: (i: number) => object = () => ({}),
) {
  const at = (i: number) => now - 3_000_000 + Math.floor((i * 2_900_000) / pairs.length)
  const observations = pairs.map((pair, i) => observation({ validation, at: at(i), ...pair, ...more(i) }))
  // unordered and in uneven bundles, as deliveries arrive
  observations.sort((a, b) => (a.id.slice(-8) < b.id.slice(-8) ? -1 : 1))
  for (let i = 0; i < observations.length; i += 97) await comparator.post(observations.slice(i, i + 97))
  const { body } = await comparator.call('GET', `/v1/validations/${validation}/metrics`, { token: tokens.viewer })
  return body.totals
}
const values = (data: { primary: unknown[]; candidate: unknown[] }) =>
  data.primary.map((y, i) => ({ primary: { y }, candidate: { y: data.candidate[i] } }))

function expectQuantiles(actual: Record<string, number>, expected: Record<string, number>) {
  for (const [q, value] of Object.entries(expected)) expect(Math.abs(actual[q]! / value - 1), q).toBeLessThan(0.01)
}

test.each([
  ['small', 'regressionSmallNegative'],
  ['heavy', 'regressionHeavyTailed'],
  ['vector', 'regressionVector'],
])('regression, %s', async (name, key) => {
  const { expected, ...data } = cases[key]
  const totals = await totalsOf(name, values(data))
  expect(totals.samples).toBe(expected.n)
  for (const metric of ['mae', 'rmse', 'bias', 'maxAbsError', 'pearson', 'ccc']) {
    if (expected[metric] !== undefined) expect(totals[metric], metric).toBeCloseTo(expected[metric], 9)
  }
  if (expected.absError) expectQuantiles(totals.absError, expected.absError)
})

test('classification, with labels', async () => {
  const { expected, ...data } = cases.classification
  const pairs = data.primary.map((p: number[], i: number) => ({ primary: { p }, candidate: { p: data.candidate[i] } }))
  await totalsOf('classes', pairs, (i) => ({ correlationId: `c${i}` }))
  const labels = data.labels.map((label: number, i: number) => ({
    validation: 'classes',
    correlationId: `c${i}`,
    label: String(label),
  }))
  await comparator.call('POST', '/v1/labels', { body: { labels } })
  const { body } = await comparator.call('GET', '/v1/validations/classes/metrics', { token: tokens.viewer })
  const { totals, confusion } = body
  for (const metric of ['agreement', 'scoreMae', 'jsDivergence', 'kappa'])
    expect(totals[metric], metric).toBeCloseTo(expected[metric], 9)
  expect(totals.topKOverlap).toBeCloseTo(expected.top3Overlap, 9)
  for (const side of ['primary', 'candidate', 'drift'])
    expect(totals.accuracy[side]).toBeCloseTo(expected.accuracy[side], 9)
  expect(totals.accuracy.mcnemarP).toBeCloseTo(expected.mcnemar.exactP, 9)
  expect(confusion.counts).toEqual(expected.confusion)
})

test('latency, paired', async () => {
  const { expected, primaryMs, candidateMs } = cases.latency
  const pairs = primaryMs.map(() => ({ primary: { y: 1 }, candidate: { y: 1 } }))
  const { latency } = await totalsOf('latency', pairs, (i) => ({
    primaryMs: primaryMs[i],
    candidateMs: candidateMs[i],
  }))
  expectQuantiles(latency.primary, expected.primary)
  expectQuantiles(latency.candidate, expected.candidate)
  expectQuantiles(latency.delta, expected.delta)
  expect(latency.delta.mean).toBeCloseTo(expected.meanDelta, 9)
  expect(latency.slower).toBeCloseTo(expected.fractionSlower, 9)
})

test('drift between the outputs', async () => {
  // pairs need equal sizes; the unequal cases are tested with the statistics themselves
  const { expected, ...data } = cases.outputDrift[0]
  const { outputDrift } = await totalsOf('drift', values(data))
  expect(Math.abs(outputDrift.psi - expected.psi)).toBeLessThan(0.02)
  expect(Math.abs(outputDrift.ks - expected.ks)).toBeLessThan(0.01)
  expect(outputDrift.wasserstein / expected.wasserstein).toBeCloseTo(1, 1)
})
