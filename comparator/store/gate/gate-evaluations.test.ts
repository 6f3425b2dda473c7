import { expect, onTestFinished, test } from 'vitest'
import { regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { requireEvaluation } from '../../jobs/gate/evaluate-gate.ts'
import { deleteEvaluationsBefore, findEvaluation, insertEvaluation } from './gate-evaluations.ts'

const onServer = process.env.DATABASE_URL !== undefined

test.skipIf(!onServer)('expiry skips an old evaluation that somebody acts on right now, without waiting', async () => {
  const { db, close } = await openTestStore([regression])
  onTestFinished(close)
  const ids = [1, 2, 3].map((i) => `00000000-0000-7000-8000-00000000000${i}`)
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
  await db.transaction().execute(async (tx) => {
    await requireEvaluation(tx, 'price', ids[0]!)
    await deleteEvaluationsBefore(db, new Date())
  })
  const left = await Promise.all(ids.map((id) => findEvaluation(db, id)))
  expect(left.map((row) => row?.id)).toEqual([ids[0], undefined, ids[2]])
})
