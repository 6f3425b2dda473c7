import { appendAudit } from '../../store/audit.ts'
import type { Tx } from '../../store/open-database.ts'
import { lockRouting } from '../../store/promotions.ts'
import type { Comparator } from '../comparator.ts'
import type { Actor } from './actor.ts'

/** Writes down who did what, and tells the webhooks: both in the transaction that does it. */
export async function audit(
  comparator: Comparator,
  tx: Tx,
  actor: Actor,
  action: string,
  validation: string,
  details: Record<string, unknown>,
): Promise<void> {
  // the audit's lock comes after the routing's in all transactions: where traffic moves, the routing's is held already
  await lockRouting(tx)
  const at = new Date(comparator.clock.now())
  const entry = await appendAudit(tx, { at, actor: actor.name, role: actor.role, action, validation, details })
  const told = { actor: actor.name, role: actor.role, ...details, audit: { id: entry.id, hash: entry.hash } }
  await comparator.webhooks.tell(tx, action, validation, told)
}
