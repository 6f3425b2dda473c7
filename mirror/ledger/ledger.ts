import type { SkipReason } from '../../vocabulary/coverage.ts'
import { sizeClassOf } from '../../vocabulary/size-class.ts'
import type { Bytes, EpochMs } from '../../vocabulary/units.ts'
import type { Coverage } from './coverage.ts'
import type { Entry } from './entry.ts'

export interface Account {
  seen: number
  delivered: number
  pending: number
  skipped: Partial<Record<SkipReason, number>>
}

/**
 * Counts every exchange of every validation, from when it is seen to its end:
 *
 *     see ──▶ pending ──▶ delivered
 *                    └──▶ skipped(reason)
 *
 * `seen = delivered + pending + Σ skipped` holds because counts change in no other way. Observations found in the spool
 * at the start are `resumed`: seen and pending here, but not in the coverage, where an earlier process counted them.
 */
export class Ledger {
  readonly #accounts = new Map<string, Account>()
  /** How many of those seen were resumed, by validation. */
  readonly #resumed = new Map<string, number>()
  readonly #coverage: Coverage | undefined

  constructor(coverage?: Coverage) {
    this.#coverage = coverage
  }

  /** Opens the account of a validation with zeros, unless it exists already. */
  open(validation: string): void {
    this.#account(validation)
  }

  see(validation: string, at: EpochMs, requestBytes: Bytes): Entry {
    const entry = { validation, minute: at - (at % 60_000), sizeClass: sizeClassOf(requestBytes) }
    this.#begin(validation, 1)
    this.#coverage?.see(entry)
    return entry
  }

  resume(validation: string, count: number): void {
    this.#begin(validation, count)
    this.#resumed.set(validation, (this.#resumed.get(validation) ?? 0) + count)
  }

  /** Exchanges seen by this process. */
  arrived(validation: string): number {
    return (this.#accounts.get(validation)?.seen ?? 0) - (this.#resumed.get(validation) ?? 0)
  }

  deliver(entry: Entry): void {
    this.#end(entry).delivered++
  }

  skip(entry: Entry, reason: SkipReason): void {
    const { skipped } = this.#end(entry)
    skipped[reason] = (skipped[reason] ?? 0) + 1
    this.#coverage?.skip(entry, reason)
  }

  /** A copy of the accounts, by validation. */
  accounts(): Record<string, Account> {
    return Object.fromEntries(
      [...this.#accounts].map(([name, account]) => [name, { ...account, skipped: { ...account.skipped } }]),
    )
  }

  get pending(): number {
    let pending = 0
    for (const account of this.#accounts.values()) pending += account.pending
    return pending
  }

  #begin(validation: string, count: number): void {
    const account = this.#account(validation)
    account.seen += count
    account.pending += count
  }

  #end(entry: Entry): Account {
    const account = this.#account(entry.validation)
    if (account.pending === 0) throw new Error(`nothing of ${entry.validation} is pending`)
    account.pending--
    return account
  }

  #account(validation: string): Account {
    return this.#accounts.getOrInsertComputed(validation, () => ({ seen: 0, delivered: 0, pending: 0, skipped: {} }))
  }
}
