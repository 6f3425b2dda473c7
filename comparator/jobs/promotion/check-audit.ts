import type { AuditOverview } from '../../../vocabulary/api/audit-overview.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { listAuditFrom } from '../../store/audit/audit.ts'
import { followChain } from '../../store/audit/audit-chain.ts'
import type { Comparator } from '../comparator.ts'

/** A check recomputes every hash, so it is repeated no more often than this. */
const checkAgainAfterMs: Milliseconds = 10_000

/** Checks from the first entry that the audit is one unaltered chain. Concurrent callers share one check. */
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
      // a failed check is repeated by the next call
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
