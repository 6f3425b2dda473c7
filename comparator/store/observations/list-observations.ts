import { sql } from 'kysely'
import { hourDimension } from '../../../vocabulary/slice/slice-key.ts'
import { dayMs, hourMs, type TimeSpan } from '../../../vocabulary/units.ts'
import { toJson } from '../database/json.ts'
import type { Db } from '../database/open-database.ts'
import type { ObservationRow } from '../database/tables.ts'
import { undated } from './day-of-id.ts'
import type { Member } from './examples.ts'
import { partitionedDays } from './partitions.ts'
import { failedSeverity } from './severity.ts'

export interface Cursor {
  key: number | string
  id: string
}

export interface ObservationQuery extends Partial<TimeSpan> {
  validation: string
  windowId: number | null
  order: 'worst' | 'newest'
  limit: number
  slice?: { dimension: string; value: string } | null | undefined
  /** If given, only these observations are considered; they must include all that the query matches. */
  among?: readonly Member[] | null | undefined
  comparison?: ObservationRow['comparison'] | undefined
  after?: Cursor | undefined
}

/** A condition that excludes nothing. */
export const all = sql`true`

type Listed = ObservationRow & { bodies_kept: boolean }

/**
 * A page by keyset, newest or worst first. Equally bad ones, such as failures, are in the order of their ids. Bodies
 * are kept in that order too, so those listed first have theirs.
 *
 * The database merges the partitions of all days, and must find each one's first matching row before it returns any. A
 * partition without a match is read to its end. So a span of time reads only the days that have some of it, and the
 * newest of a slice are looked for in growing spans.
 */
export async function listObservations(db: Db, query: ObservationQuery): Promise<Listed[]> {
  if (query.among) return page(db, query)
  if (query.order === 'worst') return page(db, query, await daysIn(db, query))
  return query.slice ? newestOfSlice(db, query) : page(db, query)
}

const spansMs = [hourMs, 6 * hourMs, 36 * hourMs, 9 * dayMs]

async function newestOfSlice(db: Db, query: ObservationQuery): Promise<Listed[]> {
  const [newest] = await page(db, { ...query, slice: null, limit: 1 })
  if (!newest) return []
  const found: Listed[] = []
  let to = query.to
  for (const from of [...spansMs.map((spanMs) => newest.at.getTime() - spanMs), undefined]) {
    const isLast = from === undefined || from <= (query.from ?? Number.NEGATIVE_INFINITY)
    const span = { from: isLast ? query.from : from, to, limit: query.limit - found.length }
    found.push(...(await page(db, { ...query, ...span })))
    if (isLast || found.length === query.limit) break
    to = from
  }
  return found
}

/**
 * The days that have observations in the span; `undefined` where any time is wanted. Asks for the earliest, which the
 * index by time finds at once: for `exists`, or for any one, the planner reads the rows before the span too.
 */
async function daysIn(db: Db, { validation, from, to }: ObservationQuery): Promise<string[] | undefined> {
  if (from === undefined && to === undefined) return undefined
  const days = [undated, ...(await partitionedDays(db, 'observation'))]
  const { rows } = await sql<{ day: string }>`
    select asked.day from unnest(${days}::date[]) as asked (day)
    where (
      select true from observation o where o.day = asked.day and o.validation = ${validation} and ${isWithin({ from, to })}
      order by o.at limit 1)
  `.execute(db)
  return rows.map(({ day }) => day)
}

async function page(db: Db, query: ObservationQuery, days?: readonly string[]): Promise<Listed[]> {
  const { order, limit, among } = query
  const { scope, isAfter, sorted } = order === 'worst' ? worstFirst(query, days) : newestFirst(query)
  const { rows } = await sql<Listed>`
    select o.*, (b.observation_id is not null) as bodies_kept
    from ${among ? membersOf(among) : sql`observation`} o left join observation_body b on b.observation_id = o.id
    where ${scope} and ${isAfter} and ${matchesFilters(query)}
    order by ${sorted} limit ${limit}
  `.execute(db)
  return rows
}

function worstFirst(query: ObservationQuery, days: readonly string[] | undefined) {
  const { windowId, after } = query
  const isOfDays = days ? sql`o.day = any (${days}::date[])` : all
  return {
    scope: sql`o.window_id = ${windowId} and ${isOfDays} and ${isBad(query)}`,
    isAfter: after ? sql`(-o.severity, o.id) > (${-Number(after.key)}::double precision, ${after.id}::uuid)` : all,
    sorted: sql`-o.severity, o.id`,
  }
}

function newestFirst({ validation, after }: ObservationQuery) {
  return {
    scope: sql`o.validation = ${validation}`,
    isAfter: after ? sql`(o.at, o.id) < (${String(after.key)}::timestamptz, ${after.id}::uuid)` : all,
    sorted: sql`o.at desc, o.id desc`,
  }
}

/** Looks members up by id. `offset 0` keeps the planner from scanning the index of the list's order instead. */
function membersOf(members: readonly Member[]) {
  return sql`(
    select o.* from json_to_recordset(${toJson(members)}::json) as member (id uuid, day date)
    join observation o on o.id = member.id and o.day = member.day offset 0)`
}

/** Conditions in terms of the index on -severity, where failures come first and skipped observations are not bad. */
function isBad({ comparison }: ObservationQuery) {
  if (comparison === 'skipped') return sql`false`
  const failed = sql`${sql.lit(-failedSeverity)}::double precision`
  if (comparison === 'failed') return sql`-o.severity <= ${failed}`
  // starts after the failures, of which there may be very many
  return comparison === 'compared' ? sql`-o.severity > ${failed} and -o.severity < 0` : sql`-o.severity < 0`
}

function matchesFilters({ slice, comparison, from, to }: ObservationQuery) {
  return sql`${slice ? isInSlice(slice) : all}
    and ${comparison === undefined ? all : sql`o.comparison = ${sql.lit(comparison)}`}
    and ${isWithin({ from, to })}`
}

function isInSlice({ dimension, value }: NonNullable<ObservationQuery['slice']>) {
  return dimension === hourDimension ? isInHour(value) : sql`o.slices ->> ${dimension}::text = ${value}`
}

/** Whether the row `o` is of this span. */
export function isWithin({ from, to }: Partial<TimeSpan>) {
  return sql`${from === undefined ? all : sql`o.at >= ${new Date(from)}`}
    and ${to === undefined ? all : sql`o.at < ${new Date(to)}`}`
}

/** Whether the row `o` is of this hour of the day, in UTC. */
export function isInHour(hour: string) {
  return sql`to_char(o.at at time zone 'UTC', 'HH24') = ${hour}`
}
