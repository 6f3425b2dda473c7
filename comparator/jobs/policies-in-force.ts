import type { Logger } from '../../runtime/logger.ts'
import type { Db, Tx } from '../store/database/open-database.ts'
import { databaseTime, digestInForce, renewPolicies, type ValidationPolicy } from '../store/gate/policies.ts'
import { failure } from './errors.ts'

/** A comparator that started earlier takes over once it has found the policy in force unrenewed this often in a row. */
const unrenewedMax = 3

/**
 * Tells a comparator which of its policies are in force. Comparators on one database may run with different configs, as
 * during a rolling update. If both judged, each would overturn the other's verdicts, and end the rollouts that were
 * approved under the other's policy. So only the policy of the comparator that started last is judged by, for as long
 * as one that has it renews it. Time in which the database could not be reached does not count against it: nobody could
 * renew then, and after an outage any comparator may be the first to come back.
 */
export class PoliciesInForce {
  readonly #validations: readonly ValidationPolicy[]
  readonly #logger: Logger
  #since: Date | undefined
  readonly #outdated = new Set<string>()
  /** Of the outdated: the last renewal of the policy in force, and how often nothing came after it. */
  readonly #seen = new Map<string, { renewedAt: string; unrenewed: number }>()

  constructor(validations: readonly ValidationPolicy[], logger: Logger) {
    this.#validations = validations
    this.#logger = logger
  }

  /** To be called when the comparator listens, and then periodically, by all comparators equally often. */
  async renew(db: Db): Promise<void> {
    try {
      this.#since ??= await databaseTime(db)
      const own = this.#validations.map((validation) => ({ ...validation, lapsed: this.#lapsed(validation.name) }))
      for (const { name, isInForce, renewedAt } of await renewPolicies(db, own, this.#since)) {
        this.#note(name, isInForce)
        const seen = this.#seen.get(name)
        const unrenewed = seen?.renewedAt === renewedAt ? seen.unrenewed + 1 : 0
        if (isInForce) this.#seen.delete(name)
        else this.#seen.set(name, { renewedAt, unrenewed })
      }
    } catch (error) {
      this.#seen.clear()
      throw error
    }
  }

  /** The last renewal, where it has been the last for too long. */
  #lapsed(validation: string): string | null {
    const seen = this.#seen.get(validation)
    return seen && seen.unrenewed >= unrenewedMax ? seen.renewedAt : null
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
    if (!(await this.isInForce(db, validation))) {
      throw failure('UNAVAILABLE', `${validation.name} is not judged here: ${why}`)
    }
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
