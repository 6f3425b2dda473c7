import { sql } from 'kysely'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Tx } from './open-database.ts'

/** Less than a statement may wait for a lock, so that who waits for one that was left behind still gets it. */
const idleMsMax: Milliseconds = 30_000

/** Names of the store's own locks. */
const ownLocks = new Set(['audit', 'migrate', 'partitions'])
const lockOf = (name: string) => `understudy:${ownLocks.has(name) ? 'validation:' : ''}${name}`

/**
 * One writer per validation at a time, until the transaction ends: whatever joins observations and labels, or
 * changes a promotion, sees the other's work whole. Sorted, so that two bundles cannot deadlock. The server ends a
 * transaction whose holder says nothing for `idleMs`: one that froze or was cut off must not keep a person from taking
 * traffic back until TCP gives it up, which takes hours.
 */
export async function lockValidations(tx: Tx, names: Iterable<string>, idleMs = idleMsMax): Promise<void> {
  for (const name of [...new Set(names)].sort()) {
    await sql`
      select set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true),
        pg_advisory_xact_lock(hashtextextended(${lockOf(name)}, 0))
    `.execute(tx)
  }
}
