import { once } from 'node:events'
import { median, sum } from 'simple-statistics'
import type { BenchSurroundings } from '../bench.ts'
import type { FixedRateResult } from '../load/load-fixed-rate.ts'
import { path } from '../load/payload.ts'
import { isDisturbed, watchOtherProcesses } from '../processes/other-processes.ts'
import { settle } from '../processes/settle.ts'
import type { Backends } from '../processes/start-backends.ts'
import { percent } from '../report/table.ts'
import { type LedgerAccount, shadowDeadlineMs } from '../sides/side.ts'
import { type Comparison, compareSides, quantileOfAll, quantileOfMedianTurn } from './compare-sides.ts'
import type { Fault } from './faults.ts'
import {
  connections,
  type FaultPlan,
  patienceMs,
  requestBytes,
  requestsPerSecond,
  warmUpRequestsPerSecond,
} from './plan.ts'
import { withSmallDisk } from './small-disk.ts'
import { startAround } from './start-around.ts'
import { type MirrorSide, startMirror, validation } from './start-mirror.ts'

export interface MeasuredFault {
  fault: Fault
  plan: FaultPlan
  /** Turns that count, and turns in which the machine was busy with other work. */
  turns: number
  p50: Comparison
  p99: Comparison
  p99OfMedianTurn: Comparison
  latenessP99Ms: number
  /** Requests sent to both mirrors, in all turns. */
  sent: { off: RequestCounts; on: RequestCounts }
  /** The faulty mirror's account at the end; undefined for a control. */
  account: LedgerAccount | undefined
  /** The largest share in any turn that counts. */
  othersShare: number
}

interface RequestCounts {
  requests: number
  /** Not answered, or not with a 200 and exactly the primary's bytes. */
  failed: number
}

interface Turn {
  off: FixedRateResult
  on: FixedRateResult
  othersShare: number | undefined
}

export async function measureFault(
  fault: Fault,
  plan: FaultPlan,
  backends: Backends,
  { children, directory, progress }: BenchSurroundings,
): Promise<MeasuredFault> {
  const around = await startAround(fault, backends, children)
  const base = { directory, cpus: backends.pinning.proxy }
  const primary = `http://127.0.0.1:${backends.upstreams.primary}`
  const candidate = {
    validation,
    url: around.candidateUrl,
    share: fault.share ?? 1,
    deadline: `${shadowDeadlineMs}ms`,
  }
  const off = await startMirror(children, { ...base, name: 'mirroring-off', section: { primary } })
  const mirroring = {
    primary,
    comparator: { url: `http://127.0.0.1:${around.comparatorPort}`, token: 'bench' },
    routes: [{ path, ...fault.route, candidates: [candidate] }],
  }
  const on = await startMirror(children, {
    ...base,
    name: fault.isControl ? 'mirroring-off-too' : 'mirroring-on',
    section: fault.isControl ? { primary } : mirroring,
    within: fault.isDiskFull ? withSmallDisk : undefined,
  })

  const load = async (side: MirrorSide, rate: number, durationMs: number, uncountedMs = 0) => {
    const shape = { kind: 'fixedRate', connections, requestBytes, patienceMs } as const
    const result = await backends.load<FixedRateResult>({
      ...shape,
      port: side.port,
      requestsPerSecond: rate,
      durationMs,
      uncountedMs,
    })
    // some faults leave observations pending for good, so there is no waiting for the ledger
    await settle({ ...side, ledger: undefined })
    return result
  }
  for (const side of [off, on]) await load(side, warmUpRequestsPerSecond, plan.warmUpMs)
  await around.begin([off.port, on.port])

  const turns: Turn[] = []
  const isEnough = () => turns.filter(({ othersShare }) => !isDisturbed(othersShare)).length >= plan.turns
  while (turns.length < plan.turnsMax && !isEnough()) {
    const shareOfOthers = watchOtherProcesses()
    const offFirst = turns.length % 2 === 0
    const first = await load(offFirst ? off : on, requestsPerSecond, plan.durationMs, plan.uncountedMs)
    const second = await load(offFirst ? on : off, requestsPerSecond, plan.durationMs, plan.uncountedMs)
    const turn = { off: offFirst ? first : second, on: offFirst ? second : first, othersShare: shareOfOthers() }
    turns.push(turn)
    progress(`${fault.name}: ${turnLine(turn)}`)
  }
  const chosen = leastDisturbed(turns, plan.turns)
  const account = fault.isControl ? undefined : await on.ledger()
  for (const child of [...around.processes, off.process, on.process]) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  const latencies = chosen.map(({ off, on }) => ({ off: off.latenciesMs, on: on.latenciesMs }))
  return {
    fault,
    plan,
    turns: turns.length,
    p50: compareSides(latencies, quantileOfAll(0.5)),
    p99: compareSides(latencies, quantileOfAll(0.99)),
    p99OfMedianTurn: compareSides(latencies, quantileOfMedianTurn(0.99)),
    latenessP99Ms: median(chosen.map((turn) => turn.on.latenessP99Ms)),
    sent: { off: countsOf(turns.map(({ off }) => off)), on: countsOf(turns.map(({ on }) => on)) },
    account,
    othersShare: Math.max(...chosen.map(({ othersShare }) => othersShare ?? 0)),
  }
}

/** Chooses turns by how busy the machine was with other work, regardless of the results; errors count in all turns. */
const leastDisturbed = (turns: readonly Turn[], count: number) =>
  turns.toSorted((one, other) => (one.othersShare ?? 0) - (other.othersShare ?? 0)).slice(0, count)

const countsOf = (results: readonly FixedRateResult[]): RequestCounts => ({
  requests: sum(results.map(({ requests }) => requests)),
  failed: sum(results.map(({ errors, unanswered }) => errors + unanswered)),
})

function turnLine({ off, on, othersShare }: Turn): string {
  const side = (name: string, { p50Ms, p99Ms, latenessP99Ms, errors, unanswered }: FixedRateResult) =>
    `${name} p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, load late ${latenessP99Ms.toFixed(2)} ms, ${errors + unanswered} failed`
  return `${side('off', off)}; ${side('on', on)}; ${percent(othersShare ?? 0)} to others`
}
