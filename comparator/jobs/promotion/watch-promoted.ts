import { inTransaction } from '../../store/database/in-transaction.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { promotionsInState, setHarm } from '../../store/promotion/promotions.ts'
import type { Comparator } from '../comparator.ts'
import { judgeLiveTraffic, liveSince } from '../gate/judge-live-traffic.ts'

/**
 * Sends `live.harm` when a promoted candidate starts to harm clients, and `live.recovered` when it stops. Only a person
 * rolls back what is promoted, so a person must be told. An inconclusive verdict changes nothing. Safe to run
 * concurrently, any number of times.
 */
export async function watchPromoted(comparator: Comparator): Promise<void> {
  for (const promotion of await promotionsInState(comparator.db, 'promoted')) {
    const { id, validation } = promotion
    try {
      await watch(comparator, promotion)
    } catch (error) {
      // one that cannot be judged must not keep others from being reported
      comparator.logger.error({ err: error, validation, promotion: id }, 'live traffic could not be judged')
    }
  }
}

async function watch(comparator: Comparator, promotion: PromotionRow): Promise<void> {
  const { id, validation: name, harms_since } = promotion
  const validation = comparator.validations.get(name)
  if (!validation) return // no longer configured: there are no limits to judge it by
  if (!(await comparator.policies.isInForce(comparator.db, validation))) return // a comparator with the policy in force judges it
  const { verdict, reason } = await judgeLiveTraffic(comparator, validation, liveSince(comparator, promotion))
  const harms = verdict === 'fail'
  if (verdict === 'inconclusive' || harms === (harms_since !== null)) return
  const at = new Date(comparator.clock.now())
  await inTransaction(comparator.db, async (tx) => {
    // false if another comparator was first, or a person has rolled it back
    if (!(await setHarm(tx, id, harms ? at : null))) return
    await comparator.webhooks.notify(tx, harms ? 'live.harm' : 'live.recovered', name, {
      promotion: id,
      verdict,
      reason,
    })
  })
}
