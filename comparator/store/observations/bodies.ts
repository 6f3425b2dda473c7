import { type Selectable, sql } from 'kysely'
import type { Bytes, EpochMs } from '../../../vocabulary/units.ts'
import type { Db, Tx } from '../database/open-database.ts'
import { recordset } from '../database/recordset.ts'
import type { Tables } from '../database/tables.ts'
import { dayOf, undated } from './day-of-id.ts'
import { examplesMax } from './examples.ts'
import { dropPartitionsBefore } from './partitions.ts'
import { failedSeverity } from './severity.ts'

export type BodyRow = Omit<Selectable<Tables['observation_body']>, 'at' | 'bytes'> & { at: string; bytes: Bytes }

const columnTypes = {
  observation_id: 'uuid',
  window_id: 'bigint',
  at: 'timestamptz',
  severity: 'double precision',
  day: 'date',
  bytes: 'integer',
} satisfies Partial<Record<keyof BodyRow, string>>

export async function insertBodies(tx: Tx, rows: readonly BodyRow[]): Promise<void> {
  if (rows.length === 0) return
  const { columns, select } = recordset(rows, columnTypes, ['request', 'primary_body', 'candidate_body'])
  await sql`insert into observation_body (${columns}) ${select}`.execute(tx)
}

/**
 * Both answers of the compared exchanges that agree most, of those whose bodies are kept. Pairs with one that takes up
 * more than `bytesMax` are left out before they are unpacked.
 */
export async function mostAlikeAnswers(db: Db, windowId: number, { pairsMax, bytesMax }: AlikeLimits) {
  const { rows } = await sql<Pick<BodyRow, 'primary_body' | 'candidate_body'>>`
    select primary_body, candidate_body from (
      select primary_body, candidate_body from observation_body
      where window_id = ${windowId} and severity >= 0 and severity < ${sql.lit(failedSeverity)}::double precision
      order by severity limit ${pairsMax}) as most_alike
    where greatest(pg_column_size(primary_body), pg_column_size(candidate_body)) <= ${bytesMax}
  `.execute(db)
  return rows
}

interface AlikeLimits {
  pairsMax: number
  bytesMax: Bytes
}

/** Total size of a validation's kept bodies. */
export async function bodyBytes(db: Db | Tx, validation: string): Promise<Bytes> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(b.bytes), 0)::bigint as bytes from observation_body b
    join evidence_window w on w.id = b.window_id where w.validation = ${validation}
  `.execute(db)
  return rows[0]!.bytes
}

/** Deletes a window's bodies except those of its worst examples and of the first typical ones. */
export async function pruneBodies(db: Db, windowId: number): Promise<void> {
  await sql`
    with placed as (
      select observation_id, kind, row_number() over (partition by slice, kind, day order by key, observation_id) as place
      from example where window_id = ${windowId}
    ), shown as materialized ( -- else computed again for each day's partition
      select observation_id from placed where kind = 'worst' or place <= ${sql.lit(examplesMax.typical.slice)}
    )
    delete from observation_body b
    where window_id = ${windowId} and observation_id not in (select observation_id from shown)
  `.execute(db)
}

/**
 * Deletes a validation's bodies until the rest takes at most `bytesMax`. Those that are no example go first, oldest
 * first. Then go the examples of slices and the typical ones, and last the worst of all traffic, in both groups the
 * less bad first; ties go from the end of the list. Returns the number deleted.
 */
export async function dropBodiesOver(db: Db, validation: string, bytesMax: Bytes): Promise<number> {
  const dropped = await sql`
    delete from observation_body d using (
      select observation_id, day, sum(bytes) over (
        order by rank, case when rank < 2 then severity end desc nulls last,
          case when rank < 2 then observation_id end, at desc, observation_id) as total
      from (
        select b.observation_id, b.day, b.severity, b.at, coalesce(b.bytes, 0) as bytes, coalesce((
          select min(case when e.kind = 'worst' and e.slice = '' then 0 else 1 end) from example e
          where e.observation_id = b.observation_id), 2) as rank
        from observation_body b join evidence_window w on w.id = b.window_id where w.validation = ${validation}
      ) as ranked
    ) as kept
    where d.observation_id = kept.observation_id and d.day = kept.day and kept.total > ${bytesMax}::bigint
  `.execute(db)
  return Number(dropped.numAffectedRows ?? 0)
}

/** Drops whole days, and deletes the earlier bodies of the day that `before` falls in. */
export async function deleteBodiesBefore(db: Db, before: EpochMs): Promise<void> {
  const day = dayOf(before)
  await dropPartitionsBefore(db, 'observation_body', day)
  await sql`
    delete from observation_body where day in (${undated}, ${day}) and at < ${new Date(before)}
  `.execute(db)
}
