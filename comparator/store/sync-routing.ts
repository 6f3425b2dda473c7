import { sql } from 'kysely'
import { lockValidations } from './lock-validations.ts'
import type { Db } from './open-database.ts'
import { listValidations } from './validations.ts'

/**
 * Writes down what the config says of the routing, and tells the mirrors where it changed; returns of which validations.
 * The comparator that starts last decides for all on the database: while two configs run beside each other, as in a
 * rolling update, they serve one document under one version, and mirrors that ask both in turn do not go to and fro.
 */
export async function syncRouting(
  db: Db,
  validations: readonly { name: string; config: { rollout: { reverseShadow: boolean } } }[],
  at: Date,
): Promise<string[]> {
  const configured = new Map(validations.map(({ name, config }) => [name, config.rollout.reverseShadow]))
  // what is no longer configured takes no observations
  const wanted = (name: string) => configured.get(name) ?? false
  const changed = (await listValidations(db)).filter((row) => row.reverse_shadow !== wanted(row.name))
  if (changed.length === 0) return []
  const names = changed.map(({ name }) => name)
  await db.transaction().execute(async (tx) => {
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
