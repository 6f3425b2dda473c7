import { type Kysely, sql } from 'kysely'
import { type Bins, binCountsOf } from '../../statistics/bin-counts.ts'
import type { Sum, Sums } from '../../statistics/sums.ts'
import type { Db } from '../database/open-database.ts'
import { dayOfId } from '../observations/day-of-id.ts'
import { ensurePartitions } from '../observations/partitions.ts'
import { encodeHistogram } from '../rollups/histogram-bytes.ts'
import { encodeBins, encodeSums } from '../rollups/rollup-bytes.ts'
import type { Rollup } from '../rollups/rollup-rows.ts'

const hourMs = 3_600_000
const halfDayMs = 12 * hourMs

/** The name of a matrix cell, with characters that JSON escapes. */
export const field = 'field:/a"b\\c'
export const oldSlice = 'route=/predictions/digits'

export interface OldData {
  id: string
  now: number
  hour: number
  digest: string
  policy: unknown
}

/** One observation and all rows that follow from it, as the code of a past version left them. */
export async function fillOld(db: Db, version: string, data: OldData): Promise<void> {
  await (version < '0004' ? fillAsBefore(db, data) : fillByDay(db, version, data))
}

/** The rows of versions before tables were partitioned by day. */
async function fillAsBefore(db: Db, { id, now, hour, digest, policy }: OldData): Promise<void> {
  const raw = db as unknown as Kysely<unknown>
  const at = new Date(now)
  const json = JSON.stringify(policy)
  await sql`insert into validation (name, policy, policy_digest) values ('price', ${json}::jsonb, ${digest})`.execute(
    raw,
  )
  await sql`
    insert into evidence_window (validation, primary_version, candidate_version, policy, policy_digest, bucket_ms,
      began_at, last_at)
    values ('price', '1', '1', ${json}::jsonb, ${digest}, ${hourMs}, ${at}, ${at})`.execute(raw)
  await sql`
    insert into observation values (${id}::uuid, 1, 'price', ${at}, 'c', 'primary', 'compared', null, 1, 1, 3,
      '{"kind":"answered","totalMs":1}', '{"kind":"answered","totalMs":1}', '{"kind":"value","value":1}',
      '{"kind":"value","value":2}', null)`.execute(raw)
  await sql`
    insert into observation_body values (${id}::uuid, 1, ${at}, 1, '{"method":"POST","path":"/price"}', null, null)
  `.execute(raw)
  await sql`
    insert into rollup_sum values (1, ${hourMs}, ${new Date(hour)}, ${field}, 3000000000, -0.1, 1e-300, -2.5, 7),
      (1, ${hourMs}, ${new Date(hour)}, 'absError', 1, 1, 1, 1, 1)`.execute(raw)
  await sql`
    insert into rollup_bin values (1, ${hourMs}, ${new Date(hour)}, 'absError', 2079, 5000000000),
      (1, ${hourMs}, ${new Date(hour)}, 'absError', -7, 2)`.execute(raw)
  await sql`
    insert into coverage_report values
      ('price', ${new Date(hour)}, 'a', 'le1KiB', 9, '{"shed":2}'),
      ('price', ${new Date(hour + 60_000)}, 'a', 'le1KiB', 9, '{"shed":3}')`.execute(raw)
}

/** The rows of versions that partition by day. */
async function fillByDay(db: Db, version: string, { id, now, hour, digest, policy }: OldData): Promise<void> {
  const raw = db as unknown as Kysely<unknown>
  const at = new Date(now)
  const json = JSON.stringify(policy)
  const [day, bodyDay] = [dayOfId(id), at.toISOString().slice(0, 10)]
  await ensurePartitions(db, 'observation', [day])
  await ensurePartitions(db, 'observation_body', [bodyDay])
  await sql`insert into validation (name, policy, policy_digest) values ('price', ${json}::jsonb, ${digest})`.execute(
    raw,
  )
  await sql`
    insert into evidence_window (validation, primary_version, candidate_version, policy, policy_digest, bucket_ms,
      began_at, last_at)
    values ('price', '1', '1', ${json}::jsonb, ${digest}, ${hourMs}, ${at}, ${at})`.execute(raw)
  await sql`
    insert into observation values (${id}::uuid, 1, 'price', ${at}, 'c', 'primary', 'compared', null, 1, 1, 3,
      '{"kind":"answered","totalMs":1}', '{"kind":"answered","totalMs":1}', '{"kind":"value","value":1}',
      '{"kind":"value","value":2}', null, ${day}::date)`.execute(raw)
  await sql`
    insert into observation_body values (${id}::uuid, 1, ${at}, 1, '{"method":"POST","path":"/price"}', null, null,
      ${bodyDay}::date)`.execute(raw)
  await sql`
    insert into coverage_hour values ('price', ${new Date(hour)}, 'le1KiB', 'shed', 5)`.execute(raw)
  if (version >= '0006') {
    const values = JSON.stringify({ route: [oldSlice.slice('route='.length)] })
    await sql`update evidence_window set slice_values = ${values}::jsonb`.execute(raw)
  }
  for (const rollup of rollupsOf(version, hour)) {
    await (version < '0009' ? insertByMeasure(db, rollup) : insertByBucket(db, rollup))
  }
}

/** The rollups of all traffic and, in versions that have them, of a slice in wider buckets and a copy by half days. */
function rollupsOf(version: string, hour: number): Rollup[] {
  const sum = (n: number, sum: number, sumSq: number, min: number, max: number): Sum => ({ n, sum, sumSq, min, max })
  const rollup = (slice: string, bucketMs: number, sums: Sums, cells: Sums, bins: Bins): Rollup => ({
    ...{ windowId: 1, bucketMs, slice, at: Math.floor(hour / bucketMs) * bucketMs },
    ...{ sums, cells, bins },
  })
  const bins = (...pairs: [number, number][]): Bins => new Map([['absError', binCountsOf(pairs)]])
  const all = bins([2079, 5_000_000_000], [-7, 2])
  const ofAll = rollup(
    '',
    hourMs,
    new Map([['absError', sum(1, 1, 1, 1, 1)]]),
    new Map([[field, sum(3_000_000_000, -0.1, 1e-300, -2.5, 7)]]),
    all,
  )
  if (version < '0006') return [ofAll]
  const ofSlice = rollup(
    oldSlice,
    6 * hourMs,
    new Map([['absError', sum(4, 10, 30, 1, 4)]]),
    new Map([[field, sum(2, 2, 2, 1, 1)]]),
    bins([3, 4]),
  )
  // later versions make such copies again, and keep them up to date
  const copy = version < '0009' ? [rollup('', halfDayMs, new Map(), new Map(), all)] : []
  return [ofAll, ofSlice, ...copy]
}

/** One row per measure. */
async function insertByMeasure(db: Db, { windowId, bucketMs, slice, at, sums, cells, bins }: Rollup): Promise<void> {
  for (const [measure, { n, sum, sumSq, min, max }] of [...sums, ...cells]) {
    await sql`
      insert into rollup_sum (window_id, bucket_ms, slice, at, measure, n, sum, sum_sq, min, max)
      values (${windowId}, ${bucketMs}, ${slice}, ${new Date(at)}, ${measure}, ${n}, ${sum}, ${sumSq}, ${min}, ${max})
    `.execute(db)
  }
  for (const [measure, counts] of bins) {
    await sql`
      insert into rollup_histogram (window_id, bucket_ms, slice, at, measure, counts)
      values (${windowId}, ${bucketMs}, ${slice}, ${new Date(at)}, ${measure},
        decode(${encodeHistogram(counts).toString('base64')}, 'base64'))`.execute(db)
  }
}

/** One row per bucket. */
async function insertByBucket(db: Db, { windowId, bucketMs, slice, at, sums, cells, bins }: Rollup): Promise<void> {
  const bytes = (encoded: Buffer) => sql`decode(${encoded.toString('base64')}, 'base64')`
  await sql`
    insert into rollup (window_id, bucket_ms, slice, at, sums, cells, bins)
    values (${windowId}, ${bucketMs}, ${slice}, ${new Date(at)}, ${bytes(encodeSums(sums))},
      ${bytes(encodeSums(cells))}, ${bytes(encodeBins(bins))})`.execute(db)
}
