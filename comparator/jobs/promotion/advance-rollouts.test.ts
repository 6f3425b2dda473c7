import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { classification } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { evidence } from '../../../test/support/promotions.ts'
import { hourMs } from '../../../vocabulary/units.ts'
import { findPromotion } from '../../store/promotion/promotions.ts'
import { findValidation } from '../../store/promotion/validations.ts'
import type { Comparator } from '../comparator.ts'
import { evaluateNow } from '../gate/evaluate-gate.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { advanceRollouts } from './advance-rollouts.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  const rollout = { steps: [10, 100], stepDuration: '1h' }
  store = await openTestStore([classification, { ...classification, name: 'calm', rollout }])
})
afterAll(() => store?.close())

/** A rollout of this validation whose first step begins now. */
async function rollingOut(comparator: Comparator, validation: string, { override = false } = {}): Promise<string> {
  const { evaluation } = await evaluateNow(comparator, comparator.validations.get(validation)!)
  const id = randomUUIDv7()
  await comparator.db
    .insertInto('promotion')
    .values({
      ...{ id, validation, gate_id: evaluation.id, state: 'rollingOut', override },
      ...{ requested_by: 'ana', requested_at: new Date(), comment: '', step: 0, step_at: new Date() },
    })
    .execute()
  return id
}

test('a look that changes nothing does not take the lock that the intake waits for', async () => {
  const statements: string[] = []
  const db = store.db.withPlugin({
    transformQuery({ node }) {
      statements.push(JSON.stringify(node))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const arrivals = { ...store.comparator.arrivals, wasMirrored: () => false }
  const webhooks = { notify: async () => {} }
  const comparator = { ...store.comparator, db, arrivals, webhooks } as unknown as Comparator
  await acceptObservations(comparator, evidence('calm'))
  const id = await rollingOut(comparator, 'calm', { override: true })
  const locks = async () => {
    statements.length = 0
    await advanceRollouts(comparator)
    expect(statements.length).toBeGreaterThan(10)
    return statements.filter((statement) => statement.includes('idle_in_transaction_session_timeout')).length
  }
  expect(await locks()).toBe(0)
  await db
    .updateTable('promotion')
    .set({ step_at: new Date(Date.now() - 2 * hourMs) })
    .where('id', '=', id)
    .execute()
  expect(await locks()).toBe(1)
  expect(await findValidation(db, 'calm')).toMatchObject({ live_percent: 10 })
  expect(await locks()).toBe(0)
})

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
  const id = await rollingOut(comparator, 'digits')
  await advanceRollouts(comparator)
  expect(isUndone).toBe(true)
  expect((await findPromotion(db, id))!.state).toBe('rolledBack')
  const line = { validation: 'digits', actor: 'understudy', promotion: id, comment: expect.any(String) }
  expect(warnings).toEqual([[expect.objectContaining(line), 'promotion.rollback']])
})
