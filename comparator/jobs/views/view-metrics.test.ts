import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { dayMs, hourMs } from '../../../vocabulary/units.ts'
import { expire } from '../expire.ts'
import { acceptCoverage } from '../intake/accept-coverage.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { viewMetrics } from './view-metrics.ts'

test('a series of evidence whose rollups by the minute are deleted has steps of the gate’s own buckets', async () => {
  const twoDays = { ...regression, window: { ...regression.window, duration: '2d' } }
  let now = Date.now()
  const { comparator, close } = await openTestStore([twoDays], { now: () => now, monotonic: () => now })
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const sides = { validation: 'price', primary: { prediction: 1 }, candidate: { prediction: 2 } }
  const end = Math.floor(now / hourMs) * hourMs
  const times = Array.from({ length: 24 }, (_, hour) => end - (hour + 0.5) * hourMs)
  await acceptObservations(
    comparator,
    times.map((at) => observation({ at, ...sides })),
  )
  const viewed = async (query: Parameters<typeof viewMetrics>[2]) => {
    const { stepMs, series } = await viewMetrics(comparator, price, query)
    const samples = series.map((step) => step.samples as number)
    return { stepMs, samples: samples.reduce((sum, count) => sum + count, 0) }
  }
  const day = { from: end - 24 * hourMs, to: end }
  const minutes = { stepMs: hourMs / 2, samples: 24 }
  expect(await viewed({ ...day, stepMs: minutes.stepMs })).toEqual(minutes)
  // a week without evidence before the window changes nothing
  expect(await viewed({ ...day, from: end - 8 * dayMs, stepMs: minutes.stepMs })).toEqual(minutes)

  now = end + 6.5 * 24 * hourMs
  await expire(comparator)
  const hours = { stepMs: hourMs, samples: 24 }
  expect(await viewed({})).toEqual(hours)
  expect(await viewed(day)).toEqual(hours)
  expect(await viewed({ ...day, stepMs: minutes.stepMs })).toEqual(hours)
  // what came later is there by the minute
  expect(await viewed({ ...day, from: end - 6 * hourMs, stepMs: minutes.stepMs })).toEqual({ ...minutes, samples: 6 })
})

test('the coverage of a longer span leaves out what was skipped before the window, of other models', async () => {
  const { comparator, close } = await openTestStore([
    { ...regression, window: { ...regression.window, duration: '2d' } },
  ])
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const hour = Math.floor(Date.now() / hourMs) * hourMs
  const skipped = (at: number, shed: number) => ({
    ...{ reporter: `${at}`, validation: 'price', sizeClass: 'le1KiB', seen: shed, skipped: { shed } },
    minute: new Date(at).toISOString(),
  })
  await acceptCoverage(comparator, [skipped(hour - 5 * hourMs, 100), skipped(hour - hourMs, 1)], [])
  const sides = { validation: 'price', primary: { prediction: 1 }, candidate: { prediction: 1 } }
  await acceptObservations(
    comparator,
    [1, 2, 3].map((minute) => observation({ at: hour - hourMs + minute * 60_000, ...sides })),
  )
  const coverageOver = async (query: { from?: number; to?: number }) =>
    (await viewMetrics(comparator, price, query)).totals.coverage
  expect(await coverageOver({})).toBe(3 / 4)
  expect(await coverageOver({ from: hour - 24 * hourMs, to: hour })).toBe(3 / 4)
  expect(await coverageOver({ from: hour - 24 * hourMs, to: hour - 3 * hourMs })).toBeNull()
  // and a step, which knows nothing of what mirrors skipped, claims none
  const { series, seriesBounds } = await viewMetrics(comparator, price, { stepMs: hourMs })
  expect(series).toEqual([expect.objectContaining({ samples: 3, coverage: null })])
  expect(Object.keys(seriesBounds)).not.toContain('coverage')
})
