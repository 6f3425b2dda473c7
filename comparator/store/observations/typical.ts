import { sql } from 'kysely'
import { hourIn } from '../../../vocabulary/slice/slice-key.ts'
import type { TimeSpan } from '../../../vocabulary/units.ts'
import type { Db } from '../database/open-database.ts'
import type { ObservationRow } from '../database/tables.ts'
import { examplesMax } from './examples.ts'
import { all, isInHour, isWithin } from './list-observations.ts'

export interface TypicalQuery extends Partial<TimeSpan> {
  windowId: number
  /** '' is all traffic. */
  slice: string
  limit: number
  comparison?: 'compared' | 'failed' | 'skipped' | undefined
  after?: { key: number; id: string } | undefined
}

type TypicalRow = ObservationRow & { bodies_kept: boolean; sample_key: number }

/**
 * A uniform sample of a window's observations, in the order of their hashes. Each day keeps its smallest hashes. On
 * busy days these end at smaller values, so the whole sample ends where that of the first full day does. It is uniform
 * under any filter too.
 */
export async function listTypical(db: Db, query: TypicalQuery): Promise<TypicalRow[]> {
  const { windowId, limit, comparison, from, to, after } = query
  const hour = hourIn(query.slice)
  // slices by hour have no examples of their own: their sample is taken from that of all traffic
  const slice = hour === null ? query.slice : ''
  const max = slice === '' ? examplesMax.typical.all : examplesMax.typical.slice
  const days = sql`${from === undefined ? all : sql`day >= (${new Date(from)}::timestamptz at time zone 'UTC')::date`}
    and ${to === undefined ? all : sql`day <= (${new Date(to)}::timestamptz at time zone 'UTC')::date`}`
  // The end is a subquery, computed once: of a join, a planner without statistics would compute it for each row.
  // `offset 0` has the sample looked up by id before it is filtered, instead of read from all observations of an hour.
  const { rows } = await sql<TypicalRow>`
    with sample as (
      select day, key, observation_id, observation_day, row_number() over (partition by day order by key) as place
      from example where window_id = ${windowId} and slice = ${slice} and kind = 'typical' and ${days}
    )
    select o.*, (b.observation_id is not null) as bodies_kept
    from (
      select o.*, s.key as sample_key from sample s
      join observation o on o.id = s.observation_id and o.day = s.observation_day
      where s.key <= (select coalesce(min(key), 1) from sample where place = ${max}) offset 0) o
    left join observation_body b on b.observation_id = o.id
    where ${comparison === undefined ? all : sql`o.comparison = ${comparison}`}
      and ${isWithin({ from, to })}
      and ${hour === null ? all : isInHour(hour)}
      and ${after === undefined ? all : sql`(o.sample_key, o.id) > (${after.key}::double precision, ${after.id}::uuid)`}
    order by o.sample_key, o.id limit ${limit}
  `.execute(db)
  return rows
}
