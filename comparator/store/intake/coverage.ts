import { sql } from 'kysely'
import { type CoverageReport, countsIn } from '../../../vocabulary/coverage.ts'
import { type EpochMs, hourMs, minuteMs } from '../../../vocabulary/units.ts'
import type { ReportedSkip } from '../../metrics/evidence/exchanges.ts'
import { inTransaction } from '../database/in-transaction.ts'
import { toJson } from '../database/json.ts'
import { lockValidations } from '../database/lock-validations.ts'
import type { Db, Tx } from '../database/open-database.ts'

/**
 * Saves coverage reports. Reports are running totals, so a repeated or late one never takes anything back. The increase
 * over the previous report is added to the hour's counts in the same transaction. Returns the validations for which
 * more exchanges were seen than before.
 */
export async function saveCoverage(db: Db, reports: readonly CoverageReport[]): Promise<Set<string>> {
  if (reports.length === 0) return new Set()
  // an upsert may not touch a row twice, so only the fullest report of each key, whatever their order, is saved
  const latest = new Map<string, CoverageReport>()
  for (const report of reports) {
    const known = latest.get(keyOf(report))
    if (known === undefined || countsIn(report) > countsIn(known)) latest.set(keyOf(report), report)
  }
  return inTransaction(db, async (tx) => {
    await lockValidations(
      tx,
      reports.map(({ validation }) => `coverage:${validation}`),
    )
    const before = await reportsBefore(tx, [...latest.values()])
    const grown = [...latest].filter(([key, report]) => countsIn(report) > countsIn(before.get(key) ?? nothing))
    const hours = new HourCounts()
    for (const [key, report] of grown) hours.add(report, before.get(key)?.skipped ?? {})
    await saveReports(
      tx,
      grown.map(([, report]) => report),
    )
    await addToHours(tx, hours.toArray())
    const arrived = grown.filter(([key, { seen }]) => seen > (before.get(key) ?? nothing).seen)
    return new Set(arrived.map(([, { validation }]) => validation))
  })
}

const nothing = { seen: 0, skipped: {} }

type Key = Pick<CoverageReport, 'validation' | 'minute' | 'reporter' | 'sizeClass'>
const keyOf = (of: Key) => JSON.stringify([of.validation, Date.parse(of.minute), of.reporter, of.sizeClass])

/**
 * The saved reports with these keys. The limit has each looked up by its key: the planner takes any number of keys for a
 * hundred, and would read all reports, up to some 10,000 of them.
 */
export async function reportsBefore(tx: Tx, keys: readonly Key[]) {
  const { rows } = await sql<Omit<CoverageReport, 'minute'> & { minute: Date }>`
    select r.validation, r.minute, r.reporter, r.size_class as "sizeClass", r.seen, r.skipped
    from json_to_recordset(${toJson(keys)}::json) as key (
      validation text, minute timestamptz, reporter text, "sizeClass" text)
    cross join lateral (
      select * from coverage_report
      where validation = key.validation and minute = key.minute and reporter = key.reporter
        and size_class = key."sizeClass"
      limit 1) r
  `.execute(tx)
  return new Map(rows.map((row) => [keyOf({ ...row, minute: row.minute.toISOString() }), row]))
}

interface HourCount extends Omit<ReportedSkip, 'sizeClass'> {
  validation: string
  hour: string
  sizeClass: string
}

class HourCounts {
  readonly #counts = new Map<string, HourCount>()

  add({ validation, minute, sizeClass, skipped }: CoverageReport, before: CoverageReport['skipped']): void {
    const hour = new Date(Math.floor(Date.parse(minute) / hourMs) * hourMs).toISOString()
    for (const reason of new Set([...Object.keys(skipped), ...Object.keys(before)]) as Set<keyof typeof skipped>) {
      const key = JSON.stringify([validation, hour, sizeClass, reason])
      const known = this.#counts.getOrInsertComputed(key, () => ({ validation, hour, sizeClass, reason, count: 0 }))
      known.count += (skipped[reason] ?? 0) - (before[reason] ?? 0)
    }
  }

  toArray(): HourCount[] {
    return [...this.#counts.values()].filter(({ count }) => count !== 0)
  }
}

async function saveReports(tx: Tx, reports: readonly CoverageReport[]): Promise<void> {
  await sql`
    insert into coverage_report (validation, minute, reporter, size_class, seen, skipped)
    select validation, minute, reporter, "sizeClass", seen, skipped
    from json_to_recordset(${toJson(reports)}::json) as row (
      validation text, minute timestamptz, reporter text, "sizeClass" text, seen bigint, skipped jsonb)
    order by 1, 2, 3, 4
    on conflict (validation, minute, reporter, size_class) do update
      set seen = excluded.seen, skipped = excluded.skipped
  `.execute(tx)
}

async function addToHours(tx: Tx, counts: readonly HourCount[]): Promise<void> {
  if (counts.length === 0) return
  await sql`
    insert into coverage_hour (validation, hour, size_class, reason, count)
    select validation, hour, "sizeClass", reason, count
    from json_to_recordset(${toJson(counts)}::json) as row (
      validation text, hour timestamptz, "sizeClass" text, reason text, count bigint)
    order by 1, 2, 3, 4
    on conflict (validation, hour, size_class, reason) do update set count = coverage_hour.count + excluded.count
  `.execute(tx)
}

/**
 * What the mirrors skipped in [from, to): by whole hours, and for a partial hour by the minutes that touch the span.
 * Once the minutes are deleted, the whole hour counts, so that coverage is never overstated.
 */
export async function reportedSkips(
  db: Db | Tx,
  validation: string,
  from: EpochMs,
  to: EpochMs,
): Promise<ReportedSkip[]> {
  const [first, end] = [new Date(Math.ceil(from / hourMs) * hourMs), new Date(Math.floor(to / hourMs) * hourMs)]
  const isBegun = [from, to].filter((at) => at % hourMs !== 0)
  const { rows } = await sql<ReportedSkip>`
    with skips as (
      select reason, size_class, count from coverage_hour
      where validation = ${validation} and hour >= ${first} and hour < ${end}
      union all
      select skip.key, size_class, skip.value::bigint from coverage_report, jsonb_each_text(skipped) as skip
      where validation = ${validation} and minute > ${new Date(from - minuteMs)} and minute < ${new Date(to)}
        and (minute < ${first} or minute >= ${end})
      union all
      select reason, size_class, count from coverage_hour h
      where validation = ${validation} and hour = any(${hoursOf(isBegun)}::timestamptz[])
        and not exists (
          select from coverage_report r
          where r.validation = h.validation and r.minute >= h.hour and r.minute < h.hour + interval '1 hour'))
    select reason, size_class as "sizeClass", sum(count)::bigint as count from skips group by 1, 2
  `.execute(db)
  return rows
}

const hoursOf = (times: readonly EpochMs[]) =>
  times.map((at) => new Date(Math.floor(at / hourMs) * hourMs).toISOString())

/** Number of exchanges that these validations' mirrors skipped since the hour of `from`. Grows with every report. */
export async function skipsSince(db: Db, validations: readonly string[], from: EpochMs): Promise<number> {
  const hour = new Date(Math.floor(from / hourMs) * hourMs)
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::bigint as count from coverage_hour
    where validation in (${sql.join([...validations])}) and hour >= ${hour}
  `.execute(db)
  return rows[0]!.count
}

/** Deletes reports by whole hours; the counts by hour stay. Pass a time so old that such reports are refused now. */
export async function deleteReportsBefore(db: Db, before: EpochMs): Promise<void> {
  const hour = new Date(Math.floor(before / hourMs) * hourMs)
  await db.deleteFrom('coverage_report').where('minute', '<', hour).execute()
}
