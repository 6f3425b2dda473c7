import { sql } from 'kysely'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'

/** What joins a label to its observations. */
export interface LabelKey {
  validation: string
  correlationId: string
}

/** The key as a string, for maps. */
export const labelName = ({ validation, correlationId }: LabelKey) => JSON.stringify([validation, correlationId])

/** Inserts new labels and returns their keys. A correlation id keeps its first label. */
export async function insertLabels(
  tx: Tx,
  labels: readonly (LabelKey & { truth: unknown })[],
  receivedAt: Date,
): Promise<LabelKey[]> {
  const { rows } = await sql<LabelKey>`
    insert into label (validation, correlation_id, truth, received_at)
    select validation, "correlationId", truth, ${receivedAt}::timestamptz
    from jsonb_to_recordset(${toJson(labels)}::jsonb) as row (validation text, "correlationId" text, truth jsonb)
    order by 1, 2
    on conflict do nothing returning validation, correlation_id as "correlationId"
  `.execute(tx)
  return rows
}

export async function labelsOf(db: Db | Tx, keys: readonly LabelKey[]): Promise<(LabelKey & { truth: unknown })[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<LabelKey & { truth: unknown }>`
    select l.validation, l.correlation_id as "correlationId", l.truth from label l
    join jsonb_to_recordset(${toJson(keys)}::jsonb) as key (validation text, "correlationId" text)
      on key.validation = l.validation and key."correlationId" = l.correlation_id
  `.execute(db)
  return rows
}
