import type { SkipReason } from '../../vocabulary/coverage.ts'
import type { Accounts } from '../admin.ts'
import type { Account } from '../ledger/ledger.ts'
import { nothingResumed, type Resumed } from '../ledger/resumed.ts'

/**
 * The accounts of one worker and of all that had its place before it, as far as they were heard of. Counts other than
 * `pending` never go down, and `seen = delivered + pending + Σ skipped` holds throughout. When a worker dies:
 *
 * - Its last word stands until its successor has read the disk: what was pending stays pending, as only the successor
 *   knows how much of it is there. It delivers nothing from the disk before that.
 * - What the successor found there is its own from then on and leaves the predecessor's account; the rest of what was
 *   pending was in the dead process's memory, and ends as `shed`.
 * - What the successor found beyond that had its end in the predecessor's account already, since a spool segment stays
 *   whole until all of it was delivered. As many of the successor's are left out: while they are pending of the pending
 *   ones, then of the delivered ones. So it is with what it finds later, since its disk failed when it came up, as far as
 *   that was put down as shed; what it has delivered by then was something else.
 *
 * What the dead worker counted since its last word, some fifty milliseconds, is lost; what of that is on disk looks like
 * the third kind. So a crash may leave a few exchanges out, and none is seen twice. Where a worker dies while it empties
 * its spool and with something in memory, its last word does not tell how much of either: as many as were lost may stand
 * as delivered, then, in place of shed.
 */
export class WorkerLedger {
  /** What all of them before had come to. */
  #before: Accounts = {}
  /** The same, without what this worker found on disk. */
  #ended: Accounts = {}
  #last: Accounts = {}
  /** By validation: resumed by this worker, counted by one before it. */
  #known: Record<string, number> = {}
  /** By validation: delivered by this worker and counted, when it last found more. */
  #counted: Record<string, number> = {}
  /** By validation: put down as shed, since this worker did not find it. */
  #lost: Record<string, number> = {}
  /** By this worker so far. */
  #resumed: Resumed = nothingResumed
  /** Whether this worker has read the disk, or found that it fails. */
  #isSettled = true

  /** `resumed`: more than when it came up, as it reads on, or its disk failed then. */
  hear(accounts: Accounts, resumed = this.#resumed): void {
    if (this.#isSettled) this.#findLate(resumed)
    else this.#handOver(resumed)
    this.#last = accounts
    this.#resumed = resumed
  }

  /** The successor is up, and resumed so many so far. */
  succeeded(resumed: Resumed): void {
    this.#before = this.accounts()
    this.#ended = {}
    this.#known = {}
    this.#counted = {}
    this.#lost = {}
    this.#resumed = resumed
    this.#handOver(resumed)
    this.#last = Object.fromEntries(
      Object.entries(resumed.counts).map(([name, count]) => [
        name,
        { seen: count, delivered: 0, pending: count, skipped: {} },
      ]),
    )
  }

  accounts(): Accounts {
    const own = Object.entries(this.#last).map(([name, account]) => [name, this.#withoutKnown(name, account)])
    return addAccounts([this.#ended, Object.fromEntries(own)])
  }

  #withoutKnown(validation: string, account: Account): Account {
    const known = this.#known[validation] ?? 0
    const delivered = Math.min(known, account.delivered - (this.#counted[validation] ?? 0))
    const pending = Math.min(known - delivered, account.pending)
    return {
      ...account,
      seen: account.seen - delivered - pending,
      delivered: account.delivered - delivered,
      pending: account.pending - pending,
    }
  }

  #handOver({ counts, isAll }: Resumed): void {
    this.#isSettled = isAll
    for (const [validation, { seen, delivered, pending, skipped }] of Object.entries(this.#before)) {
      const found = counts[validation] ?? 0
      const handedOn = Math.min(found, pending)
      const lost = isAll ? pending - handedOn : 0
      this.#lost[validation] = lost
      this.#known[validation] = found - handedOn
      this.#ended[validation] = {
        seen: seen - handedOn,
        delivered,
        pending: pending - handedOn - lost,
        skipped: lost > 0 ? addCounts(skipped, { shed: lost }) : skipped,
      }
    }
  }

  #findLate({ counts }: Resumed): void {
    for (const [validation, count] of Object.entries(counts)) {
      const late = count - (this.#resumed.counts[validation] ?? 0)
      const ended = Math.min(late, this.#lost[validation] ?? 0)
      if (ended <= 0) continue
      this.#counted[validation] = this.#withoutKnown(validation, this.#last[validation] ?? none).delivered
      this.#lost[validation]! -= ended
      this.#known[validation] = (this.#known[validation] ?? 0) + ended
    }
  }
}

export function addAccounts(all: readonly Accounts[]): Accounts {
  const sum: Accounts = {}
  for (const accounts of all) {
    for (const [validation, account] of Object.entries(accounts)) {
      const { seen, delivered, pending, skipped } = sum[validation] ?? none
      sum[validation] = {
        seen: seen + account.seen,
        delivered: delivered + account.delivered,
        pending: pending + account.pending,
        skipped: addCounts(skipped, account.skipped),
      }
    }
  }
  return sum
}

const none: Account = { seen: 0, delivered: 0, pending: 0, skipped: {} }

function addCounts(a: Account['skipped'], b: Account['skipped']): Account['skipped'] {
  const sum = { ...a }
  for (const reason of Object.keys(b) as SkipReason[]) sum[reason] = (sum[reason] ?? 0) + b[reason]!
  return sum
}
