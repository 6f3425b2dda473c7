import type { Logger } from '../../runtime/logger.ts'
import { type Milliseconds, minuteMs } from '../../vocabulary/units.ts'
import type { Db } from '../store/open-database.ts'
import { databaseTime, renewPolicies, type ValidationPolicy } from '../store/policies.ts'
import { failure } from './errors.ts'

/** Three renewals may fail before a comparator that started earlier takes over. */
const leaseMs: Milliseconds = minuteMs / 2

/**
 * Tells a comparator which of its policies are in force. Comparators on one database may run with different configs, as
 * during a rolling update. If both judged, each would overturn the other's verdicts, and end the rollouts that were
 * approved under the other's policy. So only the policy of the comparator that started last is judged by, for as long
 * as one that has it renews it.
 */
export class PoliciesInForce {
  readonly #validations: readonly ValidationPolicy[]
  readonly #logger: Logger
  #since: Date | undefined
  #outdated: ReadonlySet<string> = new Set()

  constructor(validations: readonly ValidationPolicy[], logger: Logger) {
    this.#validations = validations
    this.#logger = logger
  }

  /** To be called when the comparator listens, and then periodically, well within `leaseMs`. */
  async renew(db: Db): Promise<void> {
    this.#since ??= await databaseTime(db)
    const inForce = await renewPolicies(db, this.#validations, { since: this.#since, leaseMs })
    const outdated = new Set(this.#validations.map(({ name }) => name).filter((name) => !inForce.has(name)))
    for (const validation of outdated) {
      if (!this.#outdated.has(validation)) this.#logger.warn({ validation }, `not judged here: ${why}`)
    }
    for (const validation of this.#outdated) {
      if (!outdated.has(validation)) this.#logger.info({ validation }, 'judged here again: its policy is in force')
    }
    this.#outdated = outdated
  }

  has(validation: string): boolean {
    return !this.#outdated.has(validation)
  }

  /** Throws `UNAVAILABLE` where another policy is in force. */
  require(validation: string): void {
    if (!this.has(validation)) throw failure('UNAVAILABLE', `${validation} is not judged here: ${why}`)
  }
}

const why =
  'a comparator that started later on this database has another policy for it, which is in force; give all ' +
  'comparators the same config and restart this one'
