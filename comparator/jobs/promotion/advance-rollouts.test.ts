import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { classification } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { evidence } from '../../../test/support/promotions.ts'
import { findPromotion } from '../../store/promotion/promotions.ts'
import type { Comparator } from '../comparator.ts'
import { evaluateNow } from '../gate/evaluate-gate.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { advanceRollouts } from './advance-rollouts.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([classification])
})
afterAll(() => store?.close())

test('a roll-back whose transaction is undone and runs again is logged once, when it is committed', async () => {
  const warnings: unknown[] = []
  let isUndone = false
  const db = store.db.withPlugin({
    transformQuery({ node }) {
      // the roll-back's entry in the audit comes last
      if (!isUndone && JSON.stringify(node).includes('understudy:audit')) {
        isUndone = true
        expect(warnings).toEqual([])
        throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
      }
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const logger = { warn: (...of: unknown[]) => warnings.push(of), error: (...of: unknown[]) => warnings.push(of) }
  const arrivals = { ...store.comparator.arrivals, wasMirrored: () => false }
  const webhooks = { notify: async () => {} }
  const comparator = { ...store.comparator, db, logger, arrivals, webhooks } as unknown as Comparator
  await acceptObservations(comparator, evidence('digits', { wrong: 1 }))
  const { evaluation } = await evaluateNow(comparator, comparator.validations.get('digits')!)
  const id = randomUUIDv7()
  await db
    .insertInto('promotion')
    .values({
      ...{ id, validation: 'digits', gate_id: evaluation.id, state: 'rollingOut', override: false },
      ...{ requested_by: 'ana', requested_at: new Date(), comment: '', step: 0, step_at: new Date() },
    })
    .execute()
  await advanceRollouts(comparator)
  expect(isUndone).toBe(true)
  expect((await findPromotion(db, id))!.state).toBe('rolledBack')
  const line = { validation: 'digits', actor: 'understudy', promotion: id, comment: expect.any(String) }
  expect(warnings).toEqual([[expect.objectContaining(line), 'promotion.rollback']])
})
