import { type Kysely, sql } from 'kysely'

const halfDayMs = 43_200_000

/**
 * Stores rollups as one row per bucket instead of one per measure. The format is that of
 * comparator/store/rollups/rollup-bytes.ts: the length of the names and the names as JSON; then each sum's n, sum, sum_sq, min
 * and max, or each histogram after its length.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rollup (
      window_id bigint not null,
      bucket_ms integer not null,
      slice text not null,
      at timestamptz not null,
      sums bytea not null,
      cells bytea not null,
      bins bytea not null,
      primary key (window_id, bucket_ms, slice, at)
    ) with (fillfactor = 50)`.execute(db)

  const names = sql`convert_to(json_agg(measure order by measure)::text, 'UTF8')`
  const head = sql`int4send(octet_length(${names})) || ${names}`
  const values = sql`
    string_agg(int8send(n) || float8send(sum) || float8send(sum_sq) || float8send(min) || float8send(max), ''::bytea
      order by measure)`
  const cells = sql`^(outputs[.][^.]+[.])?(confusion|freeConfusion|field):`
  const sumsWhere = (isWanted: ReturnType<typeof sql>) => sql`
    select window_id, bucket_ms, slice, at, ${head} || ${values} as packed from rollup_sum where ${isWanted}
    group by window_id, bucket_ms, slice, at`
  await sql`
    insert into rollup (window_id, bucket_ms, slice, at, sums, cells, bins)
    select window_id, bucket_ms, slice, at, coalesce(s.packed, ''), coalesce(c.packed, ''), coalesce(h.packed, '')
    from (${sumsWhere(sql`measure !~ '${cells}'`)}) as s
    full join (${sumsWhere(sql`measure ~ '${cells}'`)}) as c using (window_id, bucket_ms, slice, at)
    full join (
      select window_id, bucket_ms, slice, at,
        ${head} || string_agg(int4send(octet_length(counts)) || counts, ''::bytea order by measure) as packed
      from rollup_histogram where slice <> '' or bucket_ms <> ${halfDayMs} group by window_id, bucket_ms, slice, at
    ) as h using (window_id, bucket_ms, slice, at)`.execute(db)
  // the copies by half days, which had no cells yet, will be made again
  await sql`drop table rollup_sum, rollup_histogram`.execute(db)
}
