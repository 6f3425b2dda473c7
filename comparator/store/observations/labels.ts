import { sql } from 'kysely'
import { toJson } from '../database/json.ts'
import type { Tx } from '../database/open-database.ts'

/** What joins a label to its observations. */
export interface LabelKey {
  validation: string
  correlationId: string
}

/** The key as a string, for maps. */
export const labelName = ({ validation, correlationId }: LabelKey) => JSON.stringify([validation, correlationId])

/** Inserts labels, or replaces those of the same key. */
export async function saveLabels(
  tx: Tx,
  labels: readonly (LabelKey & { truth: unknown })[],
  receivedAt: Date,
): Promise<void> {
  await sql`
    insert into label (validation, correlation_id, truth, received_at)
    select validation, "correlationId", truth, ${receivedAt}::timestamptz
    from jsonb_to_recordset(${toJson(labels)}::jsonb) as row (validation text, "correlationId" text, truth jsonb)
    order by 1, 2
    on conflict (validation, correlation_id) do update set truth = excluded.truth, received_at = excluded.received_at
  `.execute(tx)
}

/**
 * The labels with these keys, by name. The limit has each looked up by its key: the planner takes any number of keys for
 * a hundred, and would read all labels for every bundle, up to some 25,000 of them.
 */
export async function labelsOf(tx: Tx, keys: readonly LabelKey[]): Promise<Map<string, unknown>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<LabelKey & { truth: unknown }>`
    select key.validation, key."correlationId", l.truth
    from jsonb_to_recordset(${toJson(keys)}::jsonb) as key (validation text, "correlationId" text)
    cross join lateral (
      select truth from label where validation = key.validation and correlation_id = key."correlationId" limit 1) l
  `.execute(tx)
  return new Map(rows.map((label) => [labelName(label), label.truth]))
}
