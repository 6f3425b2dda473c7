import { sql } from 'kysely'
import { toJson } from '../database/json.ts'
import type { Db } from '../database/open-database.ts'
import type { ArrivalRow, ValidationRow } from '../database/tables.ts'

/** Several comparators write, so times only move forward. Ordered by name, so that two of them cannot deadlock. */
export async function saveArrivals(db: Db, rows: readonly ArrivalRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into arrival (validation, seen_at, mirror_at, mirror_route)
    select * from jsonb_to_recordset(${toJson(rows)}::jsonb) as row (
      validation text, seen_at timestamptz, mirror_at timestamptz, mirror_route text)
    order by validation
    on conflict (validation) do update set
      seen_at = greatest(arrival.seen_at, excluded.seen_at),
      mirror_at = greatest(arrival.mirror_at, excluded.mirror_at),
      mirror_route = coalesce(excluded.mirror_route, arrival.mirror_route)
  `.execute(db)
}

type ArrivalAndState = Pick<ValidationRow, 'name' | 'state'> & Partial<ArrivalRow>

export async function listArrivals(db: Db): Promise<ArrivalAndState[]> {
  const rows = await db
    .selectFrom('validation')
    .leftJoin('arrival', 'arrival.validation', 'validation.name')
    .select(['name', 'state', 'seen_at', 'mirror_at', 'mirror_route'])
    .execute()
  return rows
}
