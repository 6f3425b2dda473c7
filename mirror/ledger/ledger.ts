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
 * Every exchange of every validation, from seen to its end:
 *
 *     see ──▶ pending ──▶ delivered
 *                    └──▶ skipped(reason)
 *
 * `seen = delivered + pending + Σ skipped` holds because nothing else can change a count. Observations found in the
 * spool at start are `resumed`: seen and pending here, but not in the coverage, where an earlier process counted them.
 */
export class Ledger {
  readonly #accounts = new Map<string, Account>()
  /** Of those seen, by validation, where there are any. */
  readonly #resumed = new Map<string, number>()
  readonly #coverage: Coverage | undefined

  constructor(coverage?: Coverage) {
    this.#coverage = coverage
  }

  /** Its account begins with zeros, and goes on where it was there before. */
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

  /** Seen by this process. */
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

  /** A copy, by validation. */
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
    let account = this.#accounts.get(validation)
    if (!account) {
      account = { seen: 0, delivered: 0, pending: 0, skipped: {} }
      this.#accounts.set(validation, account)
    }
    return account
  }
}
