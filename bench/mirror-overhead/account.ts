import type { LedgerAccount, Side } from '../sides/side.ts'
import type { Stage } from './start.ts'

/** What happened to the copies of the requests of some rounds. */
export interface MirrorAccount {
  seen: number
  /** Arrived at the comparator as observations (our mirror) or at the candidate as requests (nginx). */
  mirrored: number
  skipped: Record<string, number>
}

/** Runs one round and returns its result with the number of requests mirrored; the side must be at rest. */
export async function withAccount<Result extends { requests: number }>(
  side: Side,
  stage: Stage,
  round: () => Promise<Result>,
): Promise<{ result: Result; account: MirrorAccount | undefined }> {
  const [ledgerBefore, reachedBefore] = [await side.ledger?.(), await reachedCandidate(side, stage)]
  const result = await round()
  const [ledger, reached] = [await side.ledger?.(), await reachedCandidate(side, stage)]
  if (ledger && ledgerBefore) return { result, account: difference(ledger, ledgerBefore) }
  if (reached === undefined || reachedBefore === undefined) return { result, account: undefined }
  return { result, account: { seen: result.requests, mirrored: reached - reachedBefore, skipped: {} } }
}

async function reachedCandidate({ countedAtCandidate }: Side, stage: Stage): Promise<number | undefined> {
  return countedAtCandidate ? (await stage.shadowCounts()).model : undefined
}

function difference(after: LedgerAccount, before: LedgerAccount): MirrorAccount {
  const more = Object.entries(after.skipped).map(([reason, n]) => [reason, n - (before.skipped[reason] ?? 0)] as const)
  return {
    seen: after.seen - before.seen,
    mirrored: after.delivered - before.delivered,
    skipped: Object.fromEntries(more.filter(([, count]) => count > 0)),
  }
}

export function sumOfAccounts(accounts: readonly MirrorAccount[]): MirrorAccount {
  const sum: MirrorAccount = { seen: 0, mirrored: 0, skipped: {} }
  for (const { seen, mirrored, skipped } of accounts) {
    sum.seen += seen
    sum.mirrored += mirrored
    for (const [reason, count] of Object.entries(skipped)) sum.skipped[reason] = (sum.skipped[reason] ?? 0) + count
  }
  return sum
}
