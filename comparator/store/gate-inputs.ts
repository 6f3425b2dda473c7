import { sql } from 'kysely'
import type { Db, Tx } from './open-database.ts'

/** Of a validation, beside those that promotions rest on; beyond it the oldest make room. */
export const gateInputsMax = 500

export async function insertGateInput(
  tx: Tx,
  row: { evaluationId: string; validation: string; at: Date; input: Buffer; digest: string },
): Promise<void> {
  const { evaluationId, validation, at, input, digest } = row
  await tx
    .insertInto('gate_input')
    .values({ evaluation_id: evaluationId, validation, at, input })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx.updateTable('gate_evaluation').set({ input_digest: digest }).where('id', '=', evaluationId).execute()
}

export async function findGateInput(db: Db, evaluationId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('gate_input')
    .select('input')
    .where('evaluation_id', '=', evaluationId)
    .executeTakeFirst()
  return row && Buffer.from(row.input)
}

/** Inputs beyond the newest of each validation, but for those of evaluations that promotions rest on. */
export async function pruneGateInputs(db: Db): Promise<void> {
  await sql`
    delete from gate_input where evaluation_id in (
      select evaluation_id from (
        select evaluation_id, row_number() over (partition by validation order by at desc) as place from gate_input
      ) as placed where place > ${gateInputsMax})
    and evaluation_id not in (select gate_id from promotion)
    and evaluation_id not in (select gate_id from approval where gate_id is not null)
    and evaluation_id::text not in (
      select details ->> 'judgedNow' from audit where details ->> 'judgedNow' is not null)
  `.execute(db)
}
