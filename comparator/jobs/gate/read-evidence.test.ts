import { expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { dayMs, hourMs } from '../../../vocabulary/units.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { viewMetrics } from '../views/view-metrics.ts'
import { evaluateNow } from './evaluate-gate.ts'
import { currentWindow, judgedEvidence } from './read-evidence.ts'

test('a full window that begins in a week-end without traffic spans its whole duration', async () => {
  const now = Date.now()
  const windows = { week: '7d', fortnight: '14d' }
  const validations = Object.entries(windows).map(([name, duration]) => ({
    ...regression,
    name,
    window: { ...regression.window, duration },
  }))
  const { db, comparator, close } = await openTestStore(validations)
  onTestFinished(close)
  // hourly traffic for ten days, except the third and the fourth: a week ago it was the middle of that break
  const end = Math.floor(now / hourMs) * hourMs
  const times = Array.from({ length: 240 }, (_, hour) => end - 10 * dayMs + (hour + 0.5) * hourMs)
  const isBreak = (at: number) => at > end - 8 * dayMs && at < end - 6 * dayMs
  const sides = { primary: { prediction: 1 }, candidate: { prediction: 1 } }
  const spanned = async (name: string) => {
    await acceptObservations(
      comparator,
      times.filter((at) => !isBreak(at)).map((at) => observation({ validation: name, at, ...sides })),
    )
    const validation = comparator.validations.get(name)!
    return (await judgedEvidence(db, validation, (await currentWindow(db, validation))!)).spannedMs
  }
  expect(await spanned('week')).toBe(7 * dayMs)
  expect(await spanned('fortnight')).toBe(10 * dayMs - hourMs)
})

test('a gap in which a full window begins does not count if only skipped exchanges came before it', async () => {
  const { db, comparator, close } = await openTestStore([
    { ...regression, window: { ...regression.window, duration: '7d' } },
  ])
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const end = Math.floor(Date.now() / hourMs) * hourMs
  const hoursOf = (days: number) => Array.from({ length: days * 24 }, (_, hour) => end - (hour + 0.5) * hourMs)
  const answer = { prediction: 1 }
  const refused = { kind: 'answered', status: 400, totalMs: 1, version: '1' }
  const probes = hoursOf(10).map((at) => observation({ validation: 'price', at, primary: refused, candidate: answer }))
  const busy = hoursOf(5).map((at) => observation({ validation: 'price', at, primary: answer, candidate: answer }))
  await acceptObservations(comparator, [...probes, ...busy])
  const spanned = async () => (await judgedEvidence(db, price, (await currentWindow(db, price))!)).spannedMs
  expect(await spanned()).toBe(5 * dayMs - hourMs / 2)

  const earlier = end - 7.5 * dayMs
  await acceptObservations(comparator, [
    observation({ validation: 'price', at: earlier, primary: answer, candidate: answer }),
  ])
  expect(await spanned()).toBe(7 * dayMs)
})

test('the span that an evaluation names holds all that it judged, however long a gap within it', async () => {
  const { comparator, close } = await openTestStore([
    { ...regression, window: { ...regression.window, duration: '7d' } },
  ])
  onTestFinished(close)
  const price = comparator.validations.get('price')!
  const now = Date.now()
  const times = [...Array(10).keys()].map((hour) => now - (hour < 5 ? 0 : 6 * dayMs) - hour * hourMs)
  const sides = { validation: 'price', primary: { prediction: 1 }, candidate: { prediction: 1 } }
  await acceptObservations(
    comparator,
    times.map((at) => observation({ at, ...sides })),
  )
  const { window } = (await evaluateNow(comparator, price)).evaluation
  expect(window).toMatchObject({ from: window.beganAt, samples: 10 })
  expect(window.spannedMs).toBeLessThan(4 * dayMs)
  const span = { from: Date.parse(window.from!), to: Date.parse(window.to!) + 1 }
  expect((await viewMetrics(comparator, price, span)).totals.samples).toBe(10)
})
