import { appendAudit } from '../../store/audit/audit.ts'
import { afterCommit } from '../../store/database/in-transaction.ts'
import type { Tx } from '../../store/database/open-database.ts'
import { lockRouting } from '../../store/promotion/promotions.ts'
import type { Comparator } from '../comparator.ts'
import { type Actor, system } from './actor.ts'

/** What the audit says of a change. */
export interface Signature {
  actor: Actor
  action: string
  details: Record<string, unknown>
}

/** Records who did what and notifies the webhooks, both in the transaction of the change itself; then logs it. */
export async function audit(
  comparator: Comparator,
  tx: Tx,
  validation: string,
  { actor, action, details }: Signature,
): Promise<void> {
  // prevents deadlocks: every transaction takes the routing's lock before the audit's, as those that move traffic must
  await lockRouting(tx)
  const at = new Date(comparator.clock.now())
  const entry = await appendAudit(tx, { at, actor: actor.name, role: actor.role, action, validation, details })
  const told = { actor: actor.name, role: actor.role, ...details, audit: { id: entry.id, hash: entry.hash } }
  await comparator.webhooks.notify(tx, action, validation, told)
  // nobody asked for a roll-back of our own
  const level = action === 'promotion.rollback' && actor === system ? 'warn' : 'info'
  afterCommit(tx, () => comparator.logger[level]({ validation, actor: actor.name, ...details }, action))
}
