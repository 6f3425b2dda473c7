import type {
  BreakerState,
  MirrorAccount,
  MirrorAlarm,
  MirroredCandidate,
  MirrorView,
} from '../../../vocabulary/mirrors.ts'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { MirrorRow } from '../../store/database/tables.ts'

/**
 * Merges the worker processes of one mirror. Workers beyond the number that the newest report gives are from an earlier
 * start. Silent workers do not count as long as others still report.
 */
export function mergeWorkers(rows: readonly MirrorRow[], silentBefore: EpochMs): MirrorView {
  const newest = rows.reduce((last, row) => (row.reported_at > last.reported_at ? row : last))
  const present = rows.filter(({ worker }) => worker < newest.report.workers)
  const stopped = present.every(({ report }) => report.isStopping)
  const running = present.filter(({ report }) => !report.isStopping)
  const heard = running.filter(({ reported_at }) => reported_at.getTime() >= silentBefore)
  const counted = (heard.length > 0 ? heard : stopped ? present : running).map(({ report }) => report)
  const sum = (of: (report: (typeof counted)[number]) => number) => counted.reduce((all, one) => all + of(one), 0)
  return {
    name: newest.name,
    state: stopped ? 'stopped' : heard.length > 0 ? 'reporting' : 'silent',
    workers: newest.report.workers,
    startedAt: counted.map(({ startedAt }) => startedAt).sort()[0]!,
    lastReportAt: newest.reported_at.toISOString(),
    lagMs: Math.max(...counted.map(({ lagMs }) => lagMs)),
    spooledBytes: sum(({ spooledBytes }) => spooledBytes),
    pending: sum(({ pending }) => pending),
    ledger: mergeAccounts(counted.flatMap(({ ledger }) => ledger)),
    alarms: commonAlarms(counted.map(({ alarms }) => alarms)),
    candidates: mergeCandidates(counted.flatMap(({ candidates }) => candidates)),
  }
}

function mergeAccounts(accounts: readonly MirrorAccount[]): MirrorAccount[] {
  return [...Map.groupBy(accounts, ({ validation }) => validation)].map(([validation, of]) => {
    const skipped: Record<string, number> = {}
    for (const account of of) {
      for (const [reason, count] of Object.entries(account.skipped)) skipped[reason] = (skipped[reason] ?? 0) + count
    }
    const sum = (count: (account: MirrorAccount) => number) => of.reduce((all, one) => all + count(one), 0)
    return {
      validation,
      seen: sum(({ seen }) => seen),
      delivered: sum(({ delivered }) => delivered),
      pending: sum(({ pending }) => pending),
      skipped,
    }
  })
}

/**
 * Each worker sees part of the traffic, so `NOTHING_ARRIVING` counts only if all of them raise it. Any other alarm
 * counts if one does.
 */
function commonAlarms(ofWorkers: readonly (readonly MirrorAlarm[])[]): MirrorAlarm[] {
  const keyOf = ({ code, validation }: MirrorAlarm) => `${code} ${validation}`
  return [...Map.groupBy(ofWorkers.flat(), keyOf).values()].flatMap((same) => {
    const last = same.reduce((one, other) => (other.since > one.since ? other : one))
    return last.code === 'NOTHING_ARRIVING' && same.length < ofWorkers.length ? [] : [last]
  })
}

const byTrouble: readonly BreakerState[] = ['open', 'halfOpen', 'closed']

function mergeCandidates(candidates: readonly MirroredCandidate[]): MirroredCandidate[] {
  const keyOf = ({ validation, url }: MirroredCandidate) => `${validation} ${url}`
  return [...Map.groupBy(candidates, keyOf).values()].map((same) => {
    const answered = same.reduce((one, other) => ((other.lastAnswerAt ?? '') > (one.lastAnswerAt ?? '') ? other : one))
    return {
      ...answered,
      breaker: byTrouble.find((state) => same.some(({ breaker }) => breaker === state))!,
      inFlight: same.reduce((all, { inFlight }) => all + inFlight, 0),
      queued: same.reduce((all, { queued }) => all + queued, 0),
    }
  })
}
