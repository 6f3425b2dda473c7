import { expect, onTestFinished, test } from 'vitest'
import { regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { requireEvaluation } from '../../jobs/gate/evaluate-gate.ts'
import type { Db } from '../database/open-database.ts'
import { insertApproval, insertPromotion } from '../promotion/promotions.ts'
import { deleteEvaluationsBefore, findEvaluation, insertEvaluation } from './gate-evaluations.ts'
import { insertGateInput } from './gate-inputs.ts'

const onServer = process.env.DATABASE_URL !== undefined

/** A store with evaluations of the first seconds of time, and their ids. */
async function openWithEvaluations(count: number) {
  const { db, close } = await openTestStore([regression])
  onTestFinished(close)
  const ids = Array.from({ length: count }, (_, i) => `00000000-0000-7000-8000-00000000000${i + 1}`)
  for (const [i, id] of ids.entries()) {
    await insertEvaluation(db, {
      id,
      validation: 'price',
      window_id: null,
      revision: 0,
      policy_digest: '',
      at: new Date(1000 * i),
      verdict: 'inconclusive',
      reason: '',
      checks: [],
      evidence: {} as never,
      input_digest: null,
    })
  }
  return { db, ids }
}

async function whichOf(ids: readonly string[], db: Db): Promise<(string | undefined)[]> {
  return (await Promise.all(ids.map((id) => findEvaluation(db, id)))).map((row) => row?.id)
}

test.skipIf(!onServer)('expiry skips an old evaluation that somebody acts on right now, without waiting', async () => {
  const { db, ids } = await openWithEvaluations(3)
  await db.transaction().execute(async (tx) => {
    await requireEvaluation(tx, 'price', ids[0]!)
    await deleteEvaluationsBefore(db, new Date())
  })
  expect(await whichOf(ids, db)).toEqual([ids[0], undefined, ids[2]])
})

test('expiry keeps the newest evaluation, those that were signed on, and those whose input is kept', async () => {
  const { db, ids } = await openWithEvaluations(6)
  const [requested, approved, kept, , , newest] = ids as [string, string, string, string, string, string]
  const at = new Date(0)
  await db.transaction().execute(async (tx) => {
    const signed = { requested_by: 'ana', requested_at: at, comment: '' }
    const promotion = { id: requested, validation: 'price', gate_id: requested, ...signed }
    await insertPromotion(tx, { ...promotion, state: 'requested', override: false, step: null, step_at: null })
    await insertApproval(tx, { promotion_id: requested, approver: 'ben', at, comment: '', gate_id: approved })
    const input = { evaluationId: kept, validation: 'price', at, input: '{}', digest: 'd', forReader: false }
    await insertGateInput(tx, input)
  })
  await deleteEvaluationsBefore(db, new Date(4000))
  expect(await whichOf(ids, db)).toEqual([requested, approved, kept, undefined, ids[4], newest])
  await deleteEvaluationsBefore(db, new Date())
  expect(await whichOf(ids, db)).toEqual([requested, approved, kept, undefined, undefined, newest])
})
