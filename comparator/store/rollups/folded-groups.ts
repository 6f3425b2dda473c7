import { sql } from 'kysely'
import { dayMs, type EpochMs, hourMs, type Milliseconds } from '../../../vocabulary/units.ts'
import type { RollupRange } from '../../metrics/rollup-range.ts'
import { mergeBins } from '../../statistics/bin-counts.ts'
import { mergeSums, type Sums } from '../../statistics/sums.ts'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'
import { binsDecoder, sumsDecoder } from './rollup-bytes.ts'
import type { RollupQuery } from './rollup-query.ts'
import { type BucketKey, saveRollups } from './rollup-rows.ts'

/**
 * For windows of a month, a copy of the hourly buckets' cells and histograms is kept merged ("folded") by half days. It
 * is only ever made from the hours (`foldSpan`) and deleted when one of them changes; where it is missing, the hours
 * are read.
 */
export const foldMs: Milliseconds = dayMs / 2

/** The stored cells and histograms of a bucket or a half day; `null` if they were not asked for. */
export interface GroupRow {
  at: Date
  cells: Uint8Array | null
  bins: Uint8Array | null
}

const startOfSpan = (at: EpochMs) => Math.floor(at / foldMs) * foldMs

/** The keys of the folded half days that these buckets lie in. */
export function spansOf(keys: readonly BucketKey[]): BucketKey[] {
  // slices are not folded
  const hours = keys.filter(({ bucketMs, slice }) => bucketMs === hourMs && slice === '')
  const spans = hours.map(({ windowId, at }) => ({ windowId, bucketMs: foldMs, slice: '', at: startOfSpan(at) }))
  return [...new Map(spans.map((span) => [JSON.stringify(span), span])).values()]
}

/** The window's past half days that are yet to be folded, oldest first. */
export async function spansToFold(db: Db, windowId: number, before: EpochMs): Promise<EpochMs[]> {
  const { rows } = await sql<{ span: Date }>`
    select distinct date_bin('12 hours', at, '1970-01-01T00:00:00Z') as span from rollup
    where window_id = ${windowId} and bucket_ms = ${hourMs} and slice = '' and at < ${new Date(startOfSpan(before))}
      and length(cells) + length(bins) > 0
    except
    select at from rollup where window_id = ${windowId} and bucket_ms = ${foldMs} and slice = ''
    order by span
  `.execute(db)
  return rows.map(({ span }) => span.getTime())
}

/** Folds a half day's hours. The caller holds the lock of the window's validation. */
export async function foldSpan(tx: Tx, windowId: number, span: EpochMs): Promise<void> {
  const query = { windowId, bucketMs: hourMs, from: span, to: span + foldMs, groupMs: foldMs }
  const [group] = groupsOf(await rowsOf(tx, query, []), foldMs)
  if (group === undefined) return
  await saveRollups(tx, [
    { windowId, bucketMs: foldMs, slice: '', at: span, sums: new Map(), cells: group.cells, bins: group.bins },
  ])
}

export async function readGroups(db: Db | Tx, query: RollupQuery): Promise<RollupRange['groups']> {
  const isFolded = query.bucketMs === hourMs && query.groupMs % foldMs === 0 && (query.slice ?? '') === ''
  const folded = isFolded ? await foldedRowsOf(db, query) : []
  const rows = await rowsOf(
    db,
    query,
    folded.map(({ at }) => at),
  )
  return groupsOf([...folded, ...rows], query.groupMs)
}

/**
 * Merges rows into groups of this width, aligned to the epoch, in order of time and without empty ones. `wanted` limits
 * the histograms to these measures; `null` means all.
 */
export function groupsOf(
  rows: readonly GroupRow[],
  groupMs: Milliseconds,
  wanted: readonly string[] | null = null,
): RollupRange['groups'] {
  const [decodeCells, decodeBins] = [sumsDecoder(), binsDecoder(wanted)]
  const groups = Map.groupBy(rows, ({ at }) => Math.floor(at.getTime() / groupMs) * groupMs)
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([at, inGroup]) => {
      const all: Sums = new Map()
      for (const { cells } of inGroup) mergeSums(all, decodeCells(cells ?? nothing))
      return { at, cells: all, bins: mergeBins(inGroup.map(({ bins }) => decodeBins(bins ?? nothing))) }
    })
    .filter(({ cells, bins }) => cells.size + bins.size > 0)
}

const nothing = new Uint8Array()

/** The folded half days that lie wholly in the range. */
async function foldedRowsOf(db: Db | Tx, { from, to, ...query }: RollupQuery): Promise<GroupRow[]> {
  return rowsOf(db, { ...query, bucketMs: foldMs, from: startOfSpan(from + foldMs - 1), to: to - foldMs + 1 }, [])
}

/** The rows of one bucket width, except those within some half days. */
async function rowsOf(
  db: Db | Tx,
  { windowId, bucketMs, slice = '', from, to }: RollupQuery,
  exceptSpans: readonly Date[],
): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`
    select at, cells, bins from rollup
    where window_id = ${windowId} and bucket_ms = ${bucketMs} and slice = ${slice}
      and at >= ${new Date(from)} and at < ${new Date(to)}
      and date_bin('12 hours', at, '1970-01-01T00:00:00Z') not in (
        select value::timestamptz from json_array_elements_text(${toJson(exceptSpans)}::json))
  `.execute(db)
  return rows
}
