import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { type BinCounts, sumOf } from '../statistics/bin-counts.ts'
import { decodeHistogram, encodeHistogram } from './histogram-bytes.ts'
import { toJson } from './json.ts'
import type { Db, Tx } from './open-database.ts'
import type { BucketDelta, BucketKey, RollupQuery } from './rollups.ts'

/**
 * A histogram is one row a bucket and measure, and is merged here rather than in the database: a row a bin would make
 * ten upserts of every observation, and a month of them too many to read.
 *
 * Beside the buckets that are written there is a copy folded by half days, for windows of a month. It is only ever made
 * from the hours (`foldSpan`), and goes when one of them changes; where it is missing, the hours are read.
 */
export const foldMs: Milliseconds = 43_200_000
const hourMs: Milliseconds = 3_600_000

interface Row {
  bucket_ms: number
  at: Date
  measure: string
  counts: Uint8Array
}

/** Under the lock of the windows' validation: two that read and write the same histogram would lose one's counts. */
export async function addToHistograms(tx: Tx, deltas: readonly BucketDelta[]): Promise<void> {
  const filled = deltas.filter(({ bins }) => bins.size > 0)
  if (filled.length === 0) return
  const stored = await storedHistograms(tx, [...filled, ...spansOf(filled)])
  const folded = stored.filter(({ bucketMs }) => bucketMs === foldMs)
  if (folded.length > 0) await deleteHistograms(tx, folded)
  const known = new Map(stored.map((histogram) => [nameOf(histogram), histogram.counts]))
  const rows = filled.flatMap((delta) =>
    [...delta.bins].map(([measure, added]) => {
      const counts = known.get(nameOf({ ...delta, measure }))
      return { ...delta, measure, counts: counts ? sumOf([counts, added]) : added }
    }),
  )
  await saveHistograms(tx, rows)
}

type Histogram = BucketKey & { measure: string; counts: BinCounts }

const nameOf = ({ windowId, bucketMs, slice, at, measure }: BucketKey & { measure: string }) =>
  `${windowId} ${bucketMs} ${at} ${measure} ${slice}`

async function storedHistograms(tx: Tx, keys: readonly BucketKey[]): Promise<Histogram[]> {
  const { rows } = await sql<Row & { window_id: number; slice: string }>`
    select h.window_id, h.bucket_ms, h.slice, h.at, h.measure, h.counts
    from json_to_recordset(${toJson(keys.map(keyOf))}::json) as key (
      "windowId" bigint, "bucketMs" integer, slice text, at timestamptz)
    join rollup_histogram h on h.window_id = key."windowId" and h.bucket_ms = key."bucketMs"
      and h.slice = key.slice and h.at = key.at
  `.execute(tx)
  return rows.map(({ window_id, bucket_ms, slice, at, measure, counts }) => ({
    windowId: window_id,
    bucketMs: bucket_ms,
    slice,
    at: at.getTime(),
    measure,
    counts: decodeHistogram(counts),
  }))
}

const keyOf = ({ windowId, bucketMs, slice, at }: BucketKey) => ({ windowId, bucketMs, slice, at: new Date(at) })

async function saveHistograms(tx: Tx, histograms: readonly Histogram[]): Promise<void> {
  const rows = histograms.map((histogram) => ({
    ...keyOf(histogram),
    measure: histogram.measure,
    counts: encodeHistogram(histogram.counts).toString('base64'),
  }))
  await sql`
    insert into rollup_histogram (window_id, bucket_ms, slice, at, measure, counts)
    select "windowId", "bucketMs", slice, at, measure, decode(counts, 'base64')
    from json_to_recordset(${toJson(rows)}::json) as row (
      "windowId" bigint, "bucketMs" integer, slice text, at timestamptz, measure text, counts text)
    order by 1, 2, 3, 4, 5
    on conflict (window_id, bucket_ms, slice, at, measure) do update set counts = excluded.counts
  `.execute(tx)
}

/** The half days that these buckets lie in. */
function spansOf(keys: readonly BucketKey[]): BucketKey[] {
  // of slices there are none
  const hours = keys.filter(({ bucketMs, slice }) => bucketMs === hourMs && slice === '')
  const spans = hours.map(({ windowId, at }) => ({ windowId, bucketMs: foldMs, slice: '', at: startOfSpan(at) }))
  return [...new Map(spans.map((span) => [JSON.stringify(span), span])).values()]
}

async function deleteHistograms(tx: Tx, keys: readonly BucketKey[]): Promise<void> {
  await sql`
    delete from rollup_histogram h using json_to_recordset(${toJson(keys.map(keyOf))}::json) as key (
      "windowId" bigint, "bucketMs" integer, slice text, at timestamptz)
    where h.window_id = key."windowId" and h.bucket_ms = key."bucketMs" and h.slice = key.slice and h.at = key.at
  `.execute(tx)
}

const startOfSpan = (at: EpochMs) => Math.floor(at / foldMs) * foldMs

/** The window's past half days whose hours have histograms and that are not folded yet, oldest first. */
export async function spansToFold(db: Db, windowId: number, before: EpochMs): Promise<EpochMs[]> {
  const { rows } = await sql<{ span: Date }>`
    select distinct date_bin('12 hours', at, '1970-01-01T00:00:00Z') as span from rollup_histogram
    where window_id = ${windowId} and bucket_ms = ${hourMs} and slice = '' and at < ${new Date(startOfSpan(before))}
    except
    select at from rollup_histogram where window_id = ${windowId} and bucket_ms = ${foldMs} and slice = ''
    order by span
  `.execute(db)
  return rows.map(({ span }) => span.getTime())
}

/** Makes a half day's copy from its hours, under the lock of the window's validation. */
export async function foldSpan(tx: Tx, windowId: number, span: EpochMs): Promise<void> {
  const query = { windowId, bucketMs: hourMs, from: span, to: span + foldMs, groupMs: foldMs }
  const [group] = binGroupsOf(await rowsOf(tx, query, []), foldMs)
  if (group === undefined) return
  await saveHistograms(
    tx,
    [...group.bins].map(([measure, counts]) => ({ windowId, bucketMs: foldMs, slice: '', at: span, measure, counts })),
  )
}

export async function readHistograms(db: Db | Tx, query: RollupQuery): Promise<RollupRange['binGroups']> {
  const isFolded = query.bucketMs === hourMs && query.groupMs % foldMs === 0 && (query.slice ?? '') === ''
  const folded = isFolded ? await foldedRowsOf(db, query) : []
  const rows = await rowsOf(db, query, [...new Set(folded.map(({ at }) => at.getTime()))])
  return binGroupsOf([...folded, ...rows], query.groupMs)
}

/** Merged over groups of this width, aligned to the epoch, in the order of time. */
export function binGroupsOf(
  rows: readonly Pick<Row, 'at' | 'measure' | 'counts'>[],
  groupMs: Milliseconds,
): RollupRange['binGroups'] {
  const groups = Map.groupBy(rows, ({ at }) => Math.floor(at.getTime() / groupMs) * groupMs)
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([at, inGroup]) => {
      const byMeasure = [...Map.groupBy(inGroup, ({ measure }) => measure)]
      const summed = byMeasure.map(([measure, of]): [string, BinCounts] => [
        measure,
        sumOf(of.map(({ counts }) => decodeHistogram(counts))),
      ])
      return { at, bins: new Map(summed) }
    })
}

/** Half days that lie in the range as a whole. */
async function foldedRowsOf(db: Db | Tx, { from, to, ...query }: RollupQuery): Promise<Row[]> {
  return rowsOf(db, { ...query, bucketMs: foldMs, from: startOfSpan(from + foldMs - 1), to: to - foldMs + 1 }, [])
}

/** The rows of one resolution, without those of some half days. */
async function rowsOf(
  db: Db | Tx,
  { windowId, bucketMs, slice = '', from, to }: RollupQuery,
  exceptSpans: readonly EpochMs[],
): Promise<Row[]> {
  const spans = toJson(exceptSpans.map((span) => new Date(span)))
  const { rows } = await sql<Row>`
    select bucket_ms, at, measure, counts from rollup_histogram
    where window_id = ${windowId} and bucket_ms = ${bucketMs} and slice = ${slice}
      and at >= ${new Date(from)} and at < ${new Date(to)}
      and date_bin('12 hours', at, '1970-01-01T00:00:00Z') not in (
        select value::timestamptz from json_array_elements_text(${spans}::json))
  `.execute(db)
  return rows
}
