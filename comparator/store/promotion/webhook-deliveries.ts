import { sql } from 'kysely'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import type { Db, Tx } from '../database/open-database.ts'

/** Limit per receiver; beyond it, the oldest are deleted. */
const deliveriesWaitingMax = 10_000

export interface Delivery {
  id: string
  event: string
  body: string
  attempts: number
}

/** Call it in the transaction of the event itself, so that neither exists without the other. */
export async function insertDelivery(
  tx: Db | Tx,
  delivery: { id: string; target: string; event: string; body: string; at: Date },
): Promise<void> {
  const { id, target, event, body, at } = delivery
  await tx
    .insertInto('webhook_delivery')
    .values({ id, target, event, body, created_at: at, next_at: at, last_error: null })
    .execute()
}

/** Claims what is due for `leaseMs`; until then other comparators leave it alone. */
export async function claimDeliveries(
  db: Db,
  claim: { target: string; now: Date; leaseMs: Milliseconds; limit: number },
): Promise<Delivery[]> {
  const { target, now, leaseMs, limit } = claim
  const { rows } = await sql<Delivery>`
    update webhook_delivery set next_at = ${new Date(now.getTime() + leaseMs)}, attempts = attempts + 1
    where id in (
      select id from webhook_delivery where target = ${target} and next_at <= ${now}
      order by next_at, id limit ${limit} for update skip locked)
    returning id, event, body, attempts
  `.execute(db)
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

export async function deleteDelivery(db: Db, id: string): Promise<void> {
  await db.deleteFrom('webhook_delivery').where('id', '=', id).execute()
}

export async function postponeDelivery(db: Db, id: string, nextAt: Date, error: string): Promise<void> {
  await db.updateTable('webhook_delivery').set({ next_at: nextAt, last_error: error }).where('id', '=', id).execute()
}

/**
 * Deletes deliveries from before `before`, also those of targets no longer configured, and the oldest beyond the limit
 * of each given target. Returns the number deleted.
 */
export async function deleteStaleDeliveries(db: Db, before: Date, targets: readonly string[]): Promise<number> {
  const expired = await db.deleteFrom('webhook_delivery').where('created_at', '<', before).executeTakeFirst()
  let deleted = Number(expired.numDeletedRows)
  for (const target of targets) {
    const result = await sql`
      delete from webhook_delivery where id in (
        select id from webhook_delivery where target = ${target}
        order by created_at desc, id desc offset ${deliveriesWaitingMax})
    `.execute(db)
    deleted += Number(result.numAffectedRows ?? 0)
  }
  return deleted
}

export async function countWaitingDeliveries(db: Db): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*)::integer as waiting from webhook_delivery`.execute(db)
  return rows[0]!.waiting
}
