import { sql } from 'kysely'
import type { Tx } from './open-database.ts'

/**
 * One writer per validation at a time, until the transaction ends: whatever joins observations and labels, or
 * changes a promotion, sees the other's work whole. Sorted, so that two bundles cannot deadlock.
 */
export async function lockValidations(tx: Tx, names: Iterable<string>): Promise<void> {
  for (const name of [...new Set(names)].sort()) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`understudy:${name}`}, 0))`.execute(tx)
  }
}
