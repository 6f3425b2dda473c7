import { type SqlBool, sql } from 'kysely'
import type { LiveSecond } from '../../../vocabulary/api/live-gate.ts'
import { type EpochMs, type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import type { Db, Tx } from '../database/open-database.ts'

/** Minimum look-back: this many answers or this long, whichever is more, as latency is judged by seconds. */
const lookBackAnswersMin = 2_000
const lookBackMsMin = minuteMs
/** Maximum number of answers, the newest, so that a rollout's guard costs no more under heavy traffic. */
const lookBackAnswersMax = { live: 10_000, all: 5_000 }

const cutShort = sql.raw(`'shed', 'aborted', 'tooLarge'`)

interface LiveQuery {
  validation: string
  since: EpochMs
  until: EpochMs
  /** Only answers that clients got from the candidate. */
  liveOnly: boolean
}

/**
 * Errors of both sides and the candidate's latency in the newest observations from `since` to `until`, by second;
 * oldest first, without empty seconds. An error is a failure to answer, a status of 500 or more, or an answer of the
 * candidate that cannot be read where the primary's can. Requests cut short by our limits or by the client count for
 * neither side.
 *
 * Rows are read in the order of an index; those of the candidate's share from `observation_live`, which holds no
 * others. At a thousand answers a second, half of them live, the live ones take 54 ms and all take 42 ms, on PostgreSQL
 * 15 and one slow core.
 */
export async function listLiveSeconds(
  db: Db | Tx,
  query: LiveQuery & { overP95Ms: Milliseconds; overP99Ms: Milliseconds },
): Promise<LiveSecond[]> {
  const { since, overP95Ms, overP99Ms } = query
  const from = await lookBackTo(db, query)
  if (from === undefined) return []
  const { rows } = await sql<Record<string, number>>`
    with judged as (
      select floor(extract(epoch from at - ${new Date(since)}::timestamptz))::integer as second,
        c_kind not in (${cutShort}) as c_counts,
        p_kind not in (${cutShort}) as p_counts,
        c_kind in ('timedOut', 'refused', 'reset') or c_status >= 500 or comparison = 'failed' as c_error,
        p_kind in ('timedOut', 'refused', 'reset') or p_status >= 500 as p_error,
        c_kind = 'timedOut' or c_status < 400 as c_timed, c_ms
      from (
        select at, comparison, candidate_outcome ->> 'kind' as c_kind,
          (candidate_outcome ->> 'status')::integer as c_status,
          (candidate_outcome ->> 'totalMs')::double precision as c_ms,
          primary_outcome ->> 'kind' as p_kind, (primary_outcome ->> 'status')::integer as p_status
        from observation where ${isInScope({ ...query, since: from })}
      ) as answer
    )
    select second,
      count(*) filter (where c_counts and p_counts)::integer as pairs,
      count(*) filter (where c_counts and p_counts and c_error and p_error is not true)::integer as candidate_alone,
      count(*) filter (where c_counts and p_counts and p_error and c_error is not true)::integer as primary_alone,
      count(*) filter (where c_counts)::integer as answers,
      count(*) filter (where c_counts and c_error)::integer as errors,
      count(*) filter (where c_counts and c_timed)::integer as timed,
      count(*) filter (where c_counts and c_timed and c_ms > ${overP95Ms}::double precision)::integer as over_p95,
      count(*) filter (where c_counts and c_timed and c_ms > ${overP99Ms}::double precision)::integer as over_p99
    from judged group by second order by second
  `.execute(db)
  return rows.map((row) => ({
    second: row.second!,
    pairs: { n: row.pairs!, candidateAlone: row.candidate_alone!, primaryAlone: row.primary_alone! },
    candidate: { n: row.answers!, errors: row.errors! },
    latency: { n: row.timed!, overP95: row.over_p95!, overP99: row.over_p99! },
  }))
}

/** The start of the look-back; `undefined` if there is no evidence. */
async function lookBackTo(db: Db | Tx, query: LiveQuery): Promise<EpochMs | undefined> {
  const { rows } = await sql<{ newest: Date | null; enough: Date | null }>`
    select (${atOfNewest(query, 1)}) as newest, (${atOfNewest(query, lookBackAnswersMin)}) as enough
  `.execute(db)
  const { newest, enough } = rows[0]!
  if (newest === null) return undefined
  const enoughAt = enough?.getTime() ?? query.since
  const longAt = Math.max(query.since, newest.getTime() - lookBackMsMin)
  if (enoughAt <= longAt) return enoughAt
  const most = atOfNewest({ ...query, since: longAt }, lookBackAnswersMax[query.liveOnly ? 'live' : 'all'])
  const { rows: found } = await sql<{ at: Date }>`${most}`.execute(db)
  return found[0]?.at.getTime() ?? longAt
}

/** The time of the nth newest. */
const atOfNewest = (query: LiveQuery, nth: number) => sql`
  select at from observation where ${isInScope(query)} order by at desc offset ${nth - 1} limit 1`

/** Number of answers that clients got from the candidate, counted up to `max`. */
export async function countLiveAnswers(db: Db | Tx, query: Omit<LiveQuery, 'liveOnly'>, max: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from (
      select 1 from observation
      where ${isInScope({ ...query, liveOnly: true })} and candidate_outcome ->> 'kind' not in (${cutShort})
      limit ${max}
    ) as answer
  `.execute(db)
  return rows[0]!.n
}

const isInScope = ({ validation, since, until, liveOnly }: LiveQuery) => sql<SqlBool>`
  validation = ${validation} and at between ${new Date(since)} and ${new Date(until)} and ${liveOnly ? sql`live = 'candidate'` : sql`true`}`
