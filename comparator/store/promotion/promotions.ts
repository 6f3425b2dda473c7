import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../database/open-database.ts'
import type { PromotionRow, Tables } from '../database/tables.ts'

export type ApprovalRow = Selectable<Tables['approval']>

export const underWayStates = ['requested', 'rollingOut', 'promoted'] as const

export async function insertPromotion(tx: Tx, row: Insertable<Tables['promotion']>): Promise<void> {
  await tx.insertInto('promotion').values(row).execute()
}

export async function findPromotion(db: Db | Tx, id: string): Promise<PromotionRow | undefined> {
  return db.selectFrom('promotion').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Sorts the promotion under way first. There is at most one, but by its time it may not be the newest: clocks differ.
 */
const isUnderWay = sql<boolean>`state in (${sql.join(underWayStates.map((state) => sql.lit(state)))})`

/** The validation's promotion under way, else its last one. */
export async function newestPromotion(db: Db | Tx, validation: string): Promise<PromotionRow | undefined> {
  return db
    .selectFrom('promotion')
    .selectAll()
    .where('validation', '=', validation)
    .orderBy(isUnderWay, 'desc')
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The same for every validation that has one, by name. */
export async function newestPromotions(db: Db): Promise<Map<string, PromotionRow>> {
  const rows = await db
    .selectFrom('promotion')
    .selectAll()
    .distinctOn('validation')
    .orderBy('validation')
    .orderBy(isUnderWay, 'desc')
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.validation, row]))
}

/** Newest first; with `live`, only those that have live traffic now. */
export async function listPromotions(
  db: Db,
  { validation, live, limit }: { validation?: string | undefined; live: boolean; limit: number },
): Promise<PromotionRow[]> {
  return db
    .selectFrom('promotion')
    .selectAll()
    .$if(validation !== undefined, (query) => query.where('validation', '=', validation!))
    .$if(live, (query) => query.where('state', 'in', ['rollingOut', 'promoted']))
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function promotionsInState(db: Db, state: 'rollingOut' | 'promoted'): Promise<PromotionRow[]> {
  return db.selectFrom('promotion').selectAll().where('state', '=', state).execute()
}

export async function updatePromotion(
  tx: Tx,
  id: string,
  change: Partial<Pick<PromotionRow, 'state' | 'step' | 'step_at'>>,
): Promise<void> {
  await tx.updateTable('promotion').set(change).where('id', '=', id).execute()
}

/** Sets or clears `harms_since`. False if it was so already, or the promotion is no longer `promoted`. */
export async function setHarm(tx: Tx, id: string, since: Date | null): Promise<boolean> {
  const turned = await tx
    .updateTable('promotion')
    .set({ harms_since: since })
    .where('id', '=', id)
    .where('state', '=', 'promoted')
    .where('harms_since', since ? 'is' : 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return turned !== undefined
}

/** False if that person has approved before: the first approval stands. */
export async function insertApproval(tx: Tx, row: ApprovalRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('approval')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('approver')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function approvalsOf(db: Db | Tx, promotionIds: readonly string[]): Promise<ApprovalRow[]> {
  if (promotionIds.length === 0) return []
  return db.selectFrom('approval').selectAll().where('promotion_id', 'in', promotionIds).orderBy('at').execute()
}

/** Takes the lock that moving traffic takes too, until the transaction ends. */
export async function lockRouting(tx: Tx): Promise<void> {
  await tx.selectFrom('routing').select('version').forUpdate().execute()
}

/** Changes a validation's state and live share and increments the routing's version, which mirrors follow. */
export async function setValidationState(
  tx: Tx,
  validation: string,
  change: Pick<Selectable<Tables['validation']>, 'state' | 'live_percent'>,
  at: Date,
): Promise<void> {
  await tx.updateTable('validation').set(change).where('name', '=', validation).execute()
  await tx.updateTable('routing').set({ version: sql`version + 1`, updated_at: at }).execute()
}
