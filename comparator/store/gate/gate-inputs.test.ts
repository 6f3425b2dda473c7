import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { classification, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Tx } from '../database/open-database.ts'
import { insertApproval, insertPromotion } from '../promotion/promotions.ts'
import { insertEvaluation } from './gate-evaluations.ts'
import { insertGateInput, pruneGateInputs } from './gate-inputs.ts'

/** The id of one second's evaluation of a validation. */
const idOf = (validation: string, second: number) =>
  `00000000-0000-7000-${validation === 'price' ? '8000' : '9000'}-${String(second).padStart(12, '0')}`

async function keepInputs(tx: Tx, validation: string, seconds: [from: number, to: number], forReader: boolean) {
  for (let second = seconds[0]; second < seconds[1]; second++) {
    const [id, at] = [idOf(validation, second), new Date(1000 * second)]
    await insertEvaluation(tx, {
      id,
      validation,
      window_id: null,
      revision: 0,
      policy_digest: '',
      at,
      verdict: 'pass',
      reason: '',
      checks: [],
      evidence: {} as never,
      input_digest: null,
    })
    await insertGateInput(tx, { evaluationId: id, validation, at, input: '{}', digest: 'd', forReader })
  }
}

test('of gate inputs the newest 500 are kept, and 100 for readers, and all that a promotion rests on', async () => {
  const { db, close } = await openTestStore([regression, classification])
  onTestFinished(close)
  const [requested, seen, judgedNow] = [0, 1, 2].map((second) => idOf('price', second)) as [string, string, string]
  await db.transaction().execute(async (tx) => {
    await keepInputs(tx, 'price', [0, 505], false)
    await keepInputs(tx, 'price', [1000, 1102], true)
    await keepInputs(tx, classification.name, [0, 2], false)
    const signed = { requested_by: 'ana', requested_at: new Date(0), comment: '' }
    const id = idOf('price', 1)
    const [promotion, at] = [{ id, validation: 'price', gate_id: requested, ...signed }, new Date(0)]
    await insertPromotion(tx, { ...promotion, state: 'requested', override: false, step: null, step_at: null })
    await insertApproval(tx, { promotion_id: id, approver: 'ben', at, comment: '', gate_id: seen })
    const audited = { actor: 'ben', role: 'approver', action: 'promotion.approve', validation: 'price' } as const
    await appendAudit(tx, { at, ...audited, details: { gate: seen, judgedNow } })
  })

  await pruneGateInputs(db)

  const { rows } = await sql<{ id: string }>`select evaluation_id as id from gate_input order by at`.execute(db)
  const kept = new Set(rows.map(({ id }) => id))
  const dropped = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => from + i).filter((second) => !kept.has(idOf('price', second)))
  expect(dropped(0, 505)).toEqual([3, 4])
  expect(dropped(1000, 1102)).toEqual([1000, 1001])
  expect(rows.length).toBe(503 + 100 + 2)
})
