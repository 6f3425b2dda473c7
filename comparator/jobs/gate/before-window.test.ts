import { afterAll, beforeAll, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { intakeOn, openTestStore } from '../../../test/support/intake.ts'
import type { Comparator } from '../comparator.ts'
import { acceptCoverage } from '../intake/accept-coverage.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { viewFunnel } from '../views/view-funnel.ts'
import { viewJudgement } from './judgement.ts'
import { NewestJudgements } from './newest-judgements.ts'

const minuteMs = 60_000
const validation = { ...regression, window: { duration: '1h', samplesMin: 10 } }
const now = Math.floor(Date.now() / minuteMs) * minuteMs + 30_000
const clock = { now: () => now, monotonic: () => 0 }

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([validation], clock)
})
afterAll(() => store?.close())

async function skip(minutesAgo: number, skipped: Record<string, number>): Promise<void> {
  const minute = new Date(now - 30_000 - minutesAgo * minuteMs).toISOString()
  const seen = Object.values(skipped).reduce((sum, count) => sum + count, 0)
  const report = { reporter: 'm', validation: 'price', minute, sizeClass: 'le1KiB', seen, skipped }
  expect(await acceptCoverage(store.comparator, [report], [])).toMatchObject({ accepted: 1, rejected: [] })
}

async function viewsOf(comparator: Comparator, judgements: NewestJudgements) {
  const price = comparator.validations.get('price')!
  const judgement = await judgements.of(price)
  return { view: viewJudgement(judgement), funnel: await viewFunnel(comparator, price, judgement) }
}

test('exchanges that all stay at the mirror are counted, and the gate says why nothing is compared', async () => {
  const judgements = new NewestJudgements(store.comparator)
  expect((await viewsOf(store.comparator, judgements)).view.exchanges).toEqual({ seen: 0, compared: 0, skipped: {} })
  await skip(90, { shed: 1000 })
  await skip(2, { shed: 30, notSampled: 60 })
  await skip(1, { tooLarge: 10 })
  const { view, funnel } = await viewsOf(store.comparator, judgements)
  const counts = { seen: 100, compared: 0, skipped: { shed: 30, notSampled: 60, tooLarge: 10 } }
  expect(view.exchanges).toEqual(counts)
  expect(view).toMatchObject({ verdict: 'inconclusive', coverage: 0, lastObservationAt: null })
  expect(view.reason).toMatch(
    /^0 of 10 samples so far; skipped most often \(30\) because a limit or an open breaker of the mirror shed them\.$/,
  )
  expect(view.window).toMatchObject({ beganAt: null, from: null, to: null, samples: 0, coverage: 0 })
  const { from, to, bySizeClass, ...ofFunnel } = funnel
  expect(ofFunnel).toMatchObject({ ...counts, coverage: 0 })
  expect(bySizeClass).toMatchObject([{ sizeClass: 'le1KiB', compared: 0, skipped: 40, reported: counts.skipped }])
  expect([from, to]).toEqual([null, null])
})

test('under a new policy, what was skipped before the last observation does not count', async () => {
  const one = observation({
    validation: 'price',
    at: now - 90_000,
    primary: { prediction: 1 },
    candidate: { prediction: 2 },
  })
  await acceptObservations(store.comparator, [one])
  const next = intakeOn(store.db, [{ ...validation, window: { ...validation.window, samplesMin: 11 } }], clock)
  const { view } = await viewsOf(next, new NewestJudgements(next))
  expect(view.exchanges).toEqual({ seen: 10, compared: 0, skipped: { tooLarge: 10 } })
})
