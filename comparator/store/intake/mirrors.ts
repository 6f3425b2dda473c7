import { sql } from 'kysely'
import type { EpochMs } from '../../../vocabulary/units.ts'
import { storableText, toJson } from '../database/json.ts'
import type { Db } from '../database/open-database.ts'
import type { MirrorRow } from '../database/tables.ts'

/** Several comparators write, so a later report is never replaced by an earlier one. */
export async function saveMirror(db: Db, { name, worker, reported_at, report }: MirrorRow): Promise<void> {
  await sql`
    insert into mirror (name, worker, reported_at, report)
    values (${storableText(name)}, ${worker}, ${reported_at}, ${toJson(report)}::jsonb)
    on conflict (name, worker) do update set reported_at = excluded.reported_at, report = excluded.report
    where mirror.reported_at <= excluded.reported_at
  `.execute(db)
}

/** Sorted by name, then by worker. */
export async function listMirrors(db: Db): Promise<MirrorRow[]> {
  return db.selectFrom('mirror').selectAll().orderBy('name').orderBy('worker').execute()
}

export async function deleteMirrorsBefore(db: Db, before: EpochMs): Promise<void> {
  await db.deleteFrom('mirror').where('reported_at', '<', new Date(before)).execute()
}
