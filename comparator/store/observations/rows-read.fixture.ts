import { sql } from 'kysely'
import type { Db, Tx } from '../database/open-database.ts'
import { ensurePartitions } from './partitions.ts'
import { failedSeverity } from './severity.ts'

/** Number of rows and index entries of observations, labels and coverage reports that `read` makes the database fetch. */
export async function rowsReadBy(db: Db, read: (tx: Tx) => Promise<unknown>): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const before = await rowsRead(tx)
    await read(tx)
    return (await rowsRead(tx)) - before
  })
}

/** Counts those of this connection's last transactions too, if the server has not collected them yet. */
async function rowsRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select sum(pg_stat_get_xact_tuples_returned(oid)) as n from pg_class
    where relname like 'observation\\_%' or relname like 'label%' or relname like 'coverage\\_report%'
  `.execute(tx)
  return Number(rows[0]!.n)
}

/**
 * 5000 observations a day, in window 1: a third failed, some others differ, one in a thousand was skipped, and one in a
 * hundred went to a client. Beside them 20,000 labels and 10,000 coverage reports.
 */
export async function fillDays(db: Db, days: readonly string[]): Promise<void> {
  await ensurePartitions(db, 'observation', days)
  await sql`
    insert into evidence_window (id, validation, primary_version, candidate_version, policy, policy_digest, bucket_ms,
      began_at, last_at)
    overriding system value values (1, 'price', '1', '1', '{}'::jsonb, 'none', 1000, now(), now())`.execute(db)
  await sql`
    insert into observation (id, window_id, validation, at, correlation_id, live, comparison, severity, request_bytes,
      primary_outcome, candidate_outcome, day)
    select gen_random_uuid(), 1, 'price', day + i * interval '4 seconds', 'c' || i,
      case when i % 100 = 0 then 'candidate' else 'primary' end,
      case when i % 1000 = 1 then 'skipped' when i % 3 = 0 then 'failed' else 'compared' end,
      case when i % 3 = 0 then ${sql.lit(failedSeverity)} when i % 50 = 0 then i else 0 end, 1, '{}', '{}', day
    from unnest(${days}::date[]) as asked (day), generate_series(1, 5000) as i`.execute(db)
  await sql`
    insert into label (validation, correlation_id, truth, received_at)
    select 'price', 'c' || i, '{"value": 1}', now() from generate_series(1, 20000) as i`.execute(db)
  await sql`
    insert into coverage_report (validation, minute, reporter, size_class, seen, skipped)
    select 'price', date_trunc('minute', now()) - i * interval '1 minute', 'm', 'le1KiB', 9, '{"shed": 1}'
    from generate_series(1, 10000) as i`.execute(db)
}
