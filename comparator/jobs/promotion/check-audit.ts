import type { AuditOverview } from '../../../vocabulary/audit-overview.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { listAuditFrom } from '../../store/audit.ts'
import { followChain } from '../../store/audit-chain.ts'
import type { Comparator } from '../comparator.ts'

/** Every hash is recomputed: not more often than this, however many look. */
const checkAgainAfterMs: Milliseconds = 10_000

/** Whether the audit is one unaltered chain, checked from its first entry; one check at a time serves all who ask. */
export class AuditCheck {
  readonly #comparator: Pick<Comparator, 'db' | 'clock'>
  #running: Promise<AuditOverview['chain']> | undefined
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(comparator: Pick<Comparator, 'db' | 'clock'>) {
    this.#comparator = comparator
  }

  chain(): Promise<AuditOverview['chain']> {
    const now = this.#comparator.clock.monotonic()
    if (!this.#running || now - this.#checkedAt > checkAgainAfterMs) {
      this.#checkedAt = now
      this.#running = this.#check()
      // what could not be read is asked again at the next look
      this.#running.catch(() => {
        this.#running = undefined
      })
    }
    return this.#running
  }

  async #check(): Promise<AuditOverview['chain']> {
    const { db, clock } = this.#comparator
    const checkedAt = new Date(clock.now()).toISOString()
    const chain = await followChain((after, limit) => listAuditFrom(db, limit, after))
    return { ...chain, checkedAt }
  }
}
