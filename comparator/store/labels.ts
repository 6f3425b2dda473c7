import { sql } from 'kysely'
import { toJson } from './json.ts'
import type { Db, Tx } from './open-database.ts'

export interface LabelRow {
  validation: string
  correlation_id: string
  truth: unknown
  received_at: string
}

/** Inserts what is new; returns the keys that were. The first label of a correlation id stands. */
export async function insertLabels(tx: Tx, rows: readonly LabelRow[]): Promise<LabelRow[]> {
  const inserted = await sql<LabelRow>`
    insert into label (validation, correlation_id, truth, received_at)
    select * from jsonb_to_recordset(${toJson(rows)}::jsonb) as row (
      validation text, correlation_id text, truth jsonb, received_at timestamptz)
    order by validation, correlation_id
    on conflict do nothing returning validation, correlation_id, truth, received_at
  `.execute(tx)
  return inserted.rows
}

export async function labelsOf(
  db: Db | Tx,
  keys: readonly { validation: string; correlationId: string }[],
): Promise<LabelRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<LabelRow>`
    select l.validation, l.correlation_id, l.truth, l.received_at from label l
    join jsonb_to_recordset(${toJson(keys)}::jsonb) as key (validation text, "correlationId" text)
      on key.validation = l.validation and key."correlationId" = l.correlation_id
  `.execute(db)
  return rows
}
