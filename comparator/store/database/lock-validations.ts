import { sql } from 'kysely'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import type { Tx } from './open-database.ts'

/** Shorter than the statement timeout, so that whoever waits for an abandoned lock still gets it. */
const idleMsMax: Milliseconds = 30_000

/** Names of the store's own locks, with which a validation's lock must not collide. */
const ownLocks = new Set(['audit', 'migrate', 'partitions'])
const lockOf = (name: string) => `understudy:${ownLocks.has(name) ? 'validation:' : ''}${name}`

/**
 * Admits one writer per validation at a time, until the transaction ends, so that jobs that join observations and
 * labels or change a promotion see each other's work whole. Locks are taken in sorted order, so that two bundles cannot
 * deadlock. The server ends a transaction that is idle for `idleMs`: a process that froze or was cut off must not keep
 * a person from rolling back until TCP gives up, which takes hours.
 */
export async function lockValidations(tx: Tx, names: Iterable<string>, idleMs = idleMsMax): Promise<void> {
  for (const name of [...new Set(names)].sort()) {
    await sql`
      select set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true),
        pg_advisory_xact_lock(hashtextextended(${lockOf(name)}, 0))
    `.execute(tx)
  }
}
