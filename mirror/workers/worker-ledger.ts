import type { SkipReason } from '../../vocabulary/coverage.ts'
import type { Accounts } from '../admin.ts'
import type { Account } from '../ledger/ledger.ts'
import { nothingResumed, type Resumed } from '../ledger/resumed.ts'

/**
 * The accounts of one worker's place: of its current process and all predecessors, from what they last reported. Only
 * `pending` ever decreases, and `seen = delivered + pending + Σ skipped` always holds. When a worker dies:
 *
 * - Its last report stands until its successor has read the spool: what was pending stays pending, since only the
 *   successor can tell how much of it is on disk. The successor delivers nothing from disk before that.
 * - Pending observations that the successor finds on disk move from the predecessor's account to its own. The other
 *   pending ones were in the dead process's memory and become `shed`.
 * - The successor may find more than was pending. The predecessor's account already has that surplus as ended, since a
 *   spool segment stays whole until all of it is delivered. The surplus is left out of the successor's account: of its
 *   `pending` while it is pending, then of its `delivered`. The same holds for what the successor finds later because
 *   its disk failed at first, up to what was counted as shed; what it had delivered by then was something else.
 *
 * What the dead worker counted after its last report (some fifty milliseconds) is lost, and the part of that which is
 * on disk looks like surplus. So a crash may leave out a few exchanges, but none is counted twice. If a worker dies
 * while it empties its spool and also holds observations in memory, its last report does not tell how many of each:
 * lost ones may then stand as delivered instead of shed.
 */
export class WorkerLedger {
  /** The accounts of all predecessors. */
  #before: Accounts = {}
  /** The same without what this worker found on disk. */
  #ended: Accounts = {}
  #last: Accounts = {}
  /** By validation: resumed by this worker but counted by a predecessor. */
  #known: Record<string, number> = {}
  /** By validation: what this worker had delivered and we had counted when it last found more. */
  #counted: Record<string, number> = {}
  /** By validation: counted as shed because this worker did not find it. */
  #lost: Record<string, number> = {}
  /** What this worker has resumed so far. */
  #resumed: Resumed = nothingResumed
  /** Whether this worker has read the disk, or found that it fails. */
  #isSettled = true

  /** `resumed` grows after the start as the worker reads on, or because its disk failed at first. */
  hear(accounts: Accounts, resumed = this.#resumed): void {
    if (this.#isSettled) this.#findLate(resumed)
    else this.#handOver(resumed)
    this.#last = accounts
    this.#resumed = resumed
  }

  /** The successor is up; `resumed` is what it has resumed so far. */
  succeeded(resumed: Resumed): void {
    this.#before = this.accounts()
    this.#counted = {}
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
