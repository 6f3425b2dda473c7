import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { sql } from 'kysely'
import type { Db, Tx } from '../database/open-database.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Inputs kept per validation, beside those of promotions; the oldest are deleted. A month's input is about 1 MB. */
const gateInputsMax = 500
/** The same for inputs that are kept for a reader. */
const readInputsMax = 100

/**
 * Keeps an evaluation's input unless it has one: evidence that no check reads, such as labels, may change without a new
 * evaluation. Returns the digest of the kept input.
 */
export async function insertGateInput(
  tx: Tx,
  row: { evaluationId: string; validation: string; at: Date; input: string; digest: string; forReader: boolean },
): Promise<string> {
  const { evaluationId, validation, at, input, digest, forReader } = row
  const inserted = await tx
    .insertInto('gate_input')
    .values({ evaluation_id: evaluationId, validation, at, input: await compress(input), for_reader: forReader })
    .onConflict((conflict) => conflict.doNothing())
    .returning('evaluation_id')
    .executeTakeFirst()
  if (inserted) {
    await tx.updateTable('gate_evaluation').set({ input_digest: digest }).where('id', '=', evaluationId).execute()
    return digest
  }
  const evaluation = tx.selectFrom('gate_evaluation').select('input_digest').where('id', '=', evaluationId)
  const { input_digest } = await evaluation.executeTakeFirstOrThrow()
  return input_digest!
}

export async function findGateInput(db: Db, evaluationId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('gate_input')
    .select('input')
    .where('evaluation_id', '=', evaluationId)
    .executeTakeFirst()
  return row && (await decompress(row.input)).toString()
}

/** Whether an input was kept for a reader since then. */
export async function isKeptForReader(db: Db, validation: string, since: Date): Promise<boolean> {
  const row = await db
    .selectFrom('gate_input')
    .select('evaluation_id')
    .where('validation', '=', validation)
    .where('at', '>', since)
    .where('for_reader', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes inputs beyond the limits, oldest first, except those of evaluations that promotions refer to. */
export async function pruneGateInputs(db: Db): Promise<void> {
  await sql`
    delete from gate_input where evaluation_id in (
      select evaluation_id from (
        select evaluation_id, for_reader,
          row_number() over (partition by validation, for_reader order by at desc) as place from gate_input
      ) as placed where place > case when for_reader then ${readInputsMax}::integer else ${gateInputsMax}::integer end)
    and evaluation_id not in (select gate_id from promotion)
    and evaluation_id not in (select gate_id from approval where gate_id is not null)
    and evaluation_id::text not in (
      select details ->> 'judgedNow' from audit where details ->> 'judgedNow' is not null)
  `.execute(db)
}
