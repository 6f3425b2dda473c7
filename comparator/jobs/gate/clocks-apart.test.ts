import { afterAll, beforeAll, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { intakeOn, openTestStore } from '../../../test/support/intake.ts'
import { newestPromotion, newestPromotions } from '../../store/promotion/promotions.ts'
import type { Comparator } from '../comparator.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { actOnPromotion, requestPromotion } from '../promotion/promote.ts'
import { evaluateNow } from './evaluate-gate.ts'

/** Two comparators on one database; the second one's clock is behind. */
const validations = [regression]
const now = Date.now()
const clockAt = (at: number) => ({ now: () => at, monotonic: () => 0 })

let store: Awaited<ReturnType<typeof openTestStore>>
let ahead: Comparator
let behind: Comparator
beforeAll(async () => {
  store = await openTestStore(validations)
  const on = (at: number): Comparator => {
    const webhooks = { notify: async () => {} } as unknown as Comparator['webhooks']
    return { ...intakeOn(store.db, validations, clockAt(at)), webhooks }
  }
  ahead = on(now)
  behind = on(now - 60_000)
})
afterAll(() => store?.close())

const price = () => ahead.validations.get('price')!
const root = { name: 'root', role: 'admin' } as const

test('an evaluation is stored once, also by the comparator whose clock is behind', async () => {
  const first = (await evaluateNow(ahead, price())).evaluation
  const one = observation({ validation: 'price', at: now, primary: { prediction: 1 }, candidate: { prediction: 2 } })
  await acceptObservations(ahead, [one])
  const { evaluation } = await evaluateNow(behind, price())
  expect(evaluation.window.samples).toBe(1)
  expect(Date.parse(evaluation.at)).toBe(Date.parse(first.at) + 1)
  for (const comparator of [behind, ahead]) {
    expect((await evaluateNow(comparator, price())).evaluation.id).toBe(evaluation.id)
  }
})

test('a promotion under way is listed before an ended one, whatever the clocks say', async () => {
  const ask = async (comparator: Comparator) => {
    const gateId = (await evaluateNow(comparator, price())).evaluation.id
    return requestPromotion(comparator, price(), root, { gateId, comment: 'at once', override: true })
  }
  await actOnPromotion(ahead, await ask(ahead), 'abort', { actor: root, comment: 'not yet' })
  const underWay = await ask(behind)
  expect((await newestPromotion(store.db, 'price'))?.id).toBe(underWay)
  expect((await newestPromotions(store.db)).get('price')?.id).toBe(underWay)
  await expect(ask(behind)).rejects.toMatchObject({ code: 'PROMOTION_UNDER_WAY' })
})
