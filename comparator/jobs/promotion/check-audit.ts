import type { AuditOverview } from '../../../vocabulary/api/audit-overview.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { listAuditFrom } from '../../store/audit/audit.ts'
import { followChain } from '../../store/audit/audit-chain.ts'
import type { Comparator } from '../comparator.ts'

/** A check recomputes every hash, so the next begins no sooner after its end than this. */
const checkAgainAfterMs: Milliseconds = 10_000

/** Checks from the first entry that the audit is one unaltered chain. Concurrent callers share one check. */
export class AuditCheck {
  readonly #comparator: Pick<Comparator, 'db' | 'clock'>
  #newest: Promise<AuditOverview['chain']> | undefined
  /** `undefined` while the newest is running. */
  #endedAt: Milliseconds | undefined

  constructor(comparator: Pick<Comparator, 'db' | 'clock'>) {
    this.#comparator = comparator
  }

  chain(): Promise<AuditOverview['chain']> {
    const { clock } = this.#comparator
    const isOver = this.#endedAt !== undefined && clock.monotonic() - this.#endedAt > checkAgainAfterMs
    if (!this.#newest || isOver) {
      this.#endedAt = undefined
      this.#newest = this.#check()
      this.#newest.then(
        () => {
          this.#endedAt = clock.monotonic()
        },
        () => {
          // a failed check is repeated by the next call
          this.#newest = undefined
        },
      )
    }
    return this.#newest
  }

  async #check(): Promise<AuditOverview['chain']> {
    const { db, clock } = this.#comparator
    const checkedAt = new Date(clock.now()).toISOString()
    const chain = await followChain((after, limit) => listAuditFrom(db, limit, after))
    return { ...chain, checkedAt }
  }
}
