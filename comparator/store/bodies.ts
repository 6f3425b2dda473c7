import { sql } from 'kysely'
import type { EpochMs } from '../../vocabulary/units.ts'
import { dayOf, undated } from './day-of-id.ts'
import { toJson } from './json.ts'
import type { Db, Tx } from './open-database.ts'
import { dropPartitionsBefore } from './partitions.ts'

/** How many of a window's worst observations keep their bodies under `store.bodies: worst`. */
export const worstBodiesMax = 200

export interface BodyRow {
  observation_id: string
  window_id: number
  at: string
  severity: number
  request: unknown
  primary_body: unknown
  candidate_body: unknown
  day: string
}

export async function insertBodies(tx: Tx, rows: readonly BodyRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into observation_body (
      observation_id, window_id, at, severity, request, primary_body, candidate_body, day)
    select * from json_to_recordset(${toJson(rows)}::json) as row (
      observation_id uuid, window_id bigint, at timestamptz, severity double precision,
      request jsonb, primary_body jsonb, candidate_body jsonb, day date)
  `.execute(tx)
}

/** The severity that a body must exceed to be among the window's worst; none while there is room. */
export async function severityFloor(tx: Tx, windowId: number): Promise<number> {
  const row = await tx
    .selectFrom('observation_body')
    .select('severity')
    .where('window_id', '=', windowId)
    .orderBy('severity', 'desc')
    .offset(worstBodiesMax - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.severity ?? Number.NEGATIVE_INFINITY
}

/** Keeps the worst of each given window and drops the rest. */
export async function pruneBodies(db: Db, windowIds: readonly number[]): Promise<void> {
  for (const windowId of windowIds) {
    await sql`
      delete from observation_body where observation_id in (
        select observation_id from observation_body where window_id = ${windowId}
        order by severity desc, observation_id desc offset ${worstBodiesMax})
    `.execute(db)
  }
}

/** By whole days; those from before there were days one by one. */
export async function deleteBodiesBefore(db: Db, before: EpochMs): Promise<void> {
  await dropPartitionsBefore(db, 'observation_body', dayOf(before))
  await sql`delete from observation_body where day = ${undated} and at < ${new Date(before)}`.execute(db)
}
