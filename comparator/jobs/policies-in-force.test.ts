import { randomUUIDv7 } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { classification, regression } from '../../test/support/comparator.ts'
import { intakeOn, openTestStore } from '../../test/support/intake.ts'
import { evidence } from '../../test/support/promotions.ts'
import { lockValidations } from '../store/database/lock-validations.ts'
import { findPromotion } from '../store/promotion/promotions.ts'
import type { Comparator } from './comparator.ts'
import { evaluateNow } from './gate/evaluate-gate.ts'
import { NewestJudgements } from './gate/newest-judgements.ts'
import { acceptObservations } from './intake/accept-observations.ts'
import { PoliciesInForce } from './policies-in-force.ts'
import { advanceRollouts } from './promotion/advance-rollouts.ts'
import { Overview } from './views/overview.ts'

const id = randomUUIDv7()
let store: Awaited<ReturnType<typeof openTestStore>>
let [older, newer] = [] as unknown as [Comparator, Comparator]
let judgements: NewestJudgements
let overview: Overview
const errors: unknown[] = []
beforeAll(async () => {
  const stricter = { ...classification, gate: [{ metric: 'agreement', min: 0.99 }] }
  store = await openTestStore([classification, regression])
  const comparatorOf = (validations: unknown[]): Comparator => {
    const comparator = intakeOn(store.db, validations)
    const policies = new PoliciesInForce([...comparator.validations.values()], createLogger('test', 'silent'))
    const arrivals = { ...comparator.arrivals, wasMirrored: () => false }
    const logger = { warn: () => {}, error: (what: unknown) => errors.push(what) }
    return { ...comparator, policies, arrivals, logger, webhooks: { notify: async () => {} } } as unknown as Comparator
  }
  older = comparatorOf([classification, regression])
  newer = comparatorOf([stricter, regression])
  judgements = new NewestJudgements(older)
  overview = new Overview(older, judgements)
  await older.policies.renew(store.db)
  await overview.judgeAll()
  await newer.policies.renew(store.db)
})
afterAll(() => store?.close())

const inForceOf = ({ policies }: Comparator) => ['digits', 'price'].map((name) => policies.has(name))
const evaluations = async () => (await store.db.selectFrom('gate_evaluation').select('id').execute()).length

test('of two comparators the policy of the one started last is in force, and a policy that both have in both', async () => {
  for (const comparator of [older, newer, older, newer]) await comparator.policies.renew(store.db)
  expect(inForceOf(older)).toEqual([false, true])
  expect(inForceOf(newer)).toEqual([true, true])
})

test('a comparator whose policy is not in force judges nothing, and leaves rollouts alone', async () => {
  await acceptObservations(newer, evidence('digits'))
  const { evaluation } = await evaluateNow(newer, newer.validations.get('digits')!)
  await store.db
    .insertInto('promotion')
    .values({
      ...{ id, validation: 'digits', gate_id: evaluation.id, state: 'rollingOut', override: false },
      ...{ requested_by: 'ana', requested_at: new Date(), comment: '', step: 0, step_at: new Date() },
    })
    .execute()
  const before = await evaluations()
  await overview.judgeAll()
  await advanceRollouts(older)
  expect(errors).toEqual([])
  expect(judgements.shown('digits')!.evaluation.reason).toMatch(
    /^0 of 300 samples so far\. Not judged again since .*: digits is not judged here: a comparator that started later/,
  )
  await expect(judgements.of(older.validations.get('digits')!)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(evaluateNow(older, older.validations.get('digits')!)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await evaluations()).toBe(before)
  expect((await findPromotion(store.db, id))!.state).toBe('rollingOut')
})

/** Renews the older comparator's policies; says after each time which are in force. */
async function olderRenews(times: number) {
  const found: boolean[][] = []
  for (let i = 0; i < times; i++) {
    await older.policies.renew(store.db)
    found.push(inForceOf(older))
  }
  return found
}
const outdated = [false, true]

test('a policy that nobody renews goes out of force', async () => {
  await newer.policies.renew(store.db)
  expect(await olderRenews(5)).toEqual([outdated, outdated, outdated, outdated, [true, true]])
  // the later one was only cut off
  await newer.policies.renew(store.db)
  await older.policies.renew(store.db)
  expect([older, newer].map(inForceOf)).toEqual([outdated, [true, true]])
})

test('an outage of the database, in which nobody can renew, puts no policy out of force', async () => {
  await newer.policies.renew(store.db)
  await sql`update validation set policy_renewed_at = now() - interval '1 hour'`.execute(store.db)
  expect(await olderRenews(4)).toEqual([outdated, outdated, outdated, outdated])
  const outage = store.db.transaction().execute(async (tx) => {
    await sql`select 1 / 0`.execute(tx).catch(() => {})
    await older.policies.renew(tx)
  })
  await expect(outage).rejects.toThrow()
  // the older is the first to come back
  expect(await olderRenews(2)).toEqual([outdated, outdated])
  await newer.policies.renew(store.db)
  expect([older, newer].map(inForceOf)).toEqual([outdated, [true, true]])
})

// an embedded database has one connection, for which everything waits while a transaction holds it
const onServer = test.skipIf(!process.env.DATABASE_URL)
onServer('a comparator whose policy is not in force does not wait for the lock of a rollout', async () => {
  await newer.policies.renew(store.db)
  await older.policies.renew(store.db)
  await store.db.transaction().execute(async (tx) => {
    await lockValidations(tx, ['digits'])
    // if it waited, the server would end this transaction as idle
    await advanceRollouts(older)
  })
})

test('a clock that was set back does not keep the policy of a comparator that has gone in force', async () => {
  await newer.policies.renew(store.db)
  await sql`
    update validation set policy_since = policy_since + interval '1 hour',
      policy_renewed_at = policy_renewed_at + interval '1 hour'`.execute(store.db)
  expect((await olderRenews(5)).at(-1)).toEqual([true, true])
})

test('between two renewals, a comparator whose policy has just gone out of force ends no rollout', async () => {
  await older.policies.renew(store.db)
  await newer.policies.renew(store.db)
  expect(older.policies.has('digits')).toBe(true)
  const before = await evaluations()
  await advanceRollouts(older)
  expect((await findPromotion(store.db, id))!.state).toBe('rollingOut')
  expect(await evaluations()).toBe(before)
  expect(older.policies.has('digits')).toBe(false)
})

test('a comparator that takes over ends a rollout that was approved under the other policy', async () => {
  expect((await olderRenews(5)).at(-1)).toEqual([true, true])
  await advanceRollouts(older)
  expect(errors).toEqual([])
  expect((await findPromotion(store.db, id))!.state).toBe('rolledBack')
  const { details } = await store.db
    .selectFrom('audit')
    .select('details')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(details).toMatchObject({ comment: expect.stringContaining('the policy changed') })
})
