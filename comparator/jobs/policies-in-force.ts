import type { Logger } from '../../runtime/logger.ts'
import { type Milliseconds, minuteMs } from '../../vocabulary/units.ts'
import type { Db, Tx } from '../store/open-database.ts'
import { databaseTime, digestInForce, renewPolicies, type ValidationPolicy } from '../store/policies.ts'
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
  readonly #outdated = new Set<string>()

  constructor(validations: readonly ValidationPolicy[], logger: Logger) {
    this.#validations = validations
    this.#logger = logger
  }

  /** To be called when the comparator listens, and then periodically, well within `leaseMs`. */
  async renew(db: Db): Promise<void> {
    this.#since ??= await databaseTime(db)
    const inForce = await renewPolicies(db, this.#validations, { since: this.#since, leaseMs })
    for (const { name } of this.#validations) this.#note(name, inForce.has(name))
  }

  /** Whether its policy was in force when last asked for. */
  has(validation: string): boolean {
    return !this.#outdated.has(validation)
  }

  /** Whether its policy is in force now: another comparator may have brought its own into force since the last renewal. */
  async isInForce(db: Db | Tx, { name, digest }: ValidationPolicy): Promise<boolean> {
    const isInForce = (await digestInForce(db, name)) === digest
    this.#note(name, isInForce)
    return isInForce
  }

  /** Throws `UNAVAILABLE` where another policy is in force. */
  async require(db: Db | Tx, validation: ValidationPolicy): Promise<void> {
    if (!(await this.isInForce(db, validation)))
      throw failure('UNAVAILABLE', `${validation.name} is not judged here: ${why}`)
  }

  #note(validation: string, isInForce: boolean): void {
    if (isInForce === this.has(validation)) return
    if (isInForce) {
      this.#outdated.delete(validation)
      this.#logger.info({ validation }, 'judged here again: its policy is in force')
    } else {
      this.#outdated.add(validation)
      this.#logger.warn({ validation }, `not judged here: ${why}`)
    }
  }
}

const why =
  'a comparator that started later on this database has another policy for it, which is in force; give all ' +
  'comparators the same config and restart this one'
