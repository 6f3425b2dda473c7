import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { classification } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { evidence } from '../../../test/support/promotions.ts'
import { updatePromotion } from '../../store/promotion/promotions.ts'
import { evaluateNow } from '../gate/evaluate-gate.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { watchPromoted } from './watch-promoted.ts'

const minuteMs = 60_000
const start = Date.now() - 60 * minuteMs
let now = start
const told: unknown[] = []
const promotion = randomUUIDv7()
let store: Awaited<ReturnType<typeof openTestStore>>

beforeAll(async () => {
  store = await openTestStore([classification], { now: () => now, monotonic: () => performance.now() })
  const { comparator } = store
  Object.assign(comparator.arrivals, { wasMirrored: () => true })
  comparator.webhooks.notify = async (_, event, validation, data) => {
    told.push({ event, validation, ...data })
  }
  const { evaluation } = await evaluateNow(comparator, comparator.validations.get('digits')!)
  await store.db
    .insertInto('promotion')
    .values({
      id: promotion,
      validation: 'digits',
      gate_id: evaluation.id,
      state: 'promoted',
      override: false,
      requested_by: 'ana',
      requested_at: new Date(now),
      comment: 'seen',
      step: 1,
      step_at: null,
    })
    .execute()
})
afterAll(() => store?.close())

/** Half a minute of live answers, every `failing`th of which failed. Watches twice, as two comparators would. */
async function clientsGet({ failing = Number.POSITIVE_INFINITY } = {}) {
  const answers = evidence('digits', { seconds: 30, until: now, live: 'candidate' })
  answers.forEach((one, i) => {
    if ((i + 1) % failing === 0) one.candidate = { kind: 'answered', status: 500, totalMs: 5, version: '1' }
  })
  await acceptObservations(store.comparator, answers)
  await watchPromoted(store.comparator)
  await watchPromoted(store.comparator)
  return told.splice(0)
}

test('harm after a promotion is reported once, and so is recovery', async () => {
  expect(await clientsGet()).toEqual([])
  now += minuteMs
  expect(await clientsGet({ failing: 4 })).toEqual([
    {
      event: 'live.harm',
      validation: 'digits',
      promotion,
      verdict: 'fail',
      reason: expect.stringContaining('errorRate.delta'),
    },
  ])
  now += minuteMs
  expect(await clientsGet({ failing: 4 })).toEqual([])
  // no requests for a while: an inconclusive verdict reports nothing
  now += 20 * minuteMs
  await watchPromoted(store.comparator)
  expect(told).toEqual([])
  expect(await clientsGet()).toEqual([expect.objectContaining({ event: 'live.recovered', promotion, verdict: 'pass' })])
})

test('harm is reported after the clock was set back, beside many answers that were dated ahead', async () => {
  const right = now + minuteMs
  now += 120 * minuteMs
  await acceptObservations(store.comparator, evidence('digits', { seconds: 210, until: now, live: 'candidate' }))
  now = right
  expect(await clientsGet({ failing: 4 })).toEqual([expect.objectContaining({ event: 'live.harm', verdict: 'fail' })])
})

test('harm is no longer reported after a rollback', async () => {
  await updatePromotion(store.db as never, promotion, { state: 'rolledBack' })
  now += minuteMs
  expect(await clientsGet({ failing: 2 })).toEqual([])
})
