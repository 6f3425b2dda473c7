import { sql } from 'kysely'
import { inTransaction } from '../database/in-transaction.ts'
import { lockValidations } from '../database/lock-validations.ts'
import type { Db } from '../database/open-database.ts'
import { listValidations } from './validations.ts'

/**
 * Stores the config's `reverseShadow` in the routing, under a new version if it changed. Returns the changed
 * validations. The comparator that starts last decides for all on the database. So even while two configs are running,
 * as in a rolling update, both serve the same document, and mirrors that ask both do not flip between the two.
 */
export async function syncRouting(
  db: Db,
  validations: readonly { name: string; config: { rollout: { reverseShadow: boolean } } }[],
  at: Date,
): Promise<string[]> {
  const configured = new Map(validations.map(({ name, config }) => [name, config.rollout.reverseShadow]))
  // observations of a validation that is no longer configured would be refused
  const wanted = (name: string) => configured.get(name) ?? false
  const changed = (await listValidations(db)).filter((row) => row.reverse_shadow !== wanted(row.name))
  if (changed.length === 0) return []
  const names = changed.map(({ name }) => name)
  await inTransaction(db, async (tx) => {
    await lockValidations(tx, names)
    for (const name of names) {
      await tx
        .updateTable('validation')
        .set({ reverse_shadow: wanted(name) })
        .where('name', '=', name)
        .execute()
    }
    await tx.updateTable('routing').set({ version: sql`version + 1`, updated_at: at }).execute()
  })
  return names
}
