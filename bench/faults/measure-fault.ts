import { once } from 'node:events'
import type { BenchSurroundings } from '../bench.ts'
import type { FixedRateResult } from '../load/load-fixed-rate.ts'
import { path } from '../payload.ts'
import { watchOtherProcesses } from '../processes/other-processes.ts'
import { settle } from '../processes/settle.ts'
import type { Backends } from '../processes/start-backends.ts'
import { type LedgerAccount, shadowDeadlineMs } from '../sides/side.ts'
import { type Spread, spreadOf } from '../spread.ts'
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

export interface Rounds {
  p50Ms: Spread
  p99Ms: Spread
  latenessP99Ms: number
  requests: number
  /** Not answered, or not with a 200 and the primary's very bytes. */
  failed: number
}

export interface MeasuredFault {
  fault: Fault
  plan: FaultPlan
  off: Rounds
  on: Rounds
  /** With the fault over without mirroring, turn by turn: what the machine did to a whole turn cancels out. */
  p50Ratio: Spread
  p99Ratio: Spread
  /** Of the mirror with the fault, at the end; none of a control. */
  account: LedgerAccount | undefined
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

  const load = async (side: MirrorSide, rate: number, durationMs: number) => {
    const shape = { kind: 'fixedRate', connections, requestBytes, patienceMs } as const
    const result = await backends.load<FixedRateResult>({
      ...shape,
      port: side.port,
      requestsPerSecond: rate,
      durationMs,
    })
    // what a fault leaves pending for good must not be waited for
    await settle({ ...side, ledger: undefined })
    return result
  }
  for (const side of [off, on]) await load(side, warmUpRequestsPerSecond, plan.warmUpMs)
  await around.begin([off.port, on.port])

  const shareOfOthers = watchOtherProcesses()
  const results = { off: [] as FixedRateResult[], on: [] as FixedRateResult[] }
  for (let round = 0; round < plan.rounds; round++) {
    const turn = round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)
    for (const which of turn) {
      const result = await load(which === 'off' ? off : on, requestsPerSecond, plan.durationMs)
      results[which].push(result)
      progress(
        `${fault.name}: mirroring ${which} p50 ${result.p50Ms.toFixed(2)} ms, p99 ${result.p99Ms.toFixed(2)} ms, load late p99 ${result.latenessP99Ms.toFixed(2)} ms, ${result.errors} errors, ${result.unanswered} unanswered`,
      )
    }
  }
  const othersShare = shareOfOthers()
  const account = fault.isControl ? undefined : await on.ledger()
  for (const child of [...around.processes, off.process, on.process]) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  const ratioOf = (quantile: 'p50Ms' | 'p99Ms') =>
    spreadOf(results.on.map((round, turn) => round[quantile] / results.off[turn]![quantile]))
  return {
    fault,
    plan,
    off: roundsOf(results.off),
    on: roundsOf(results.on),
    p50Ratio: ratioOf('p50Ms'),
    p99Ratio: ratioOf('p99Ms'),
    account,
    othersShare,
  }
}

function roundsOf(results: readonly FixedRateResult[]): Rounds {
  return {
    p50Ms: spreadOf(results.map(({ p50Ms }) => p50Ms)),
    p99Ms: spreadOf(results.map(({ p99Ms }) => p99Ms)),
    latenessP99Ms: spreadOf(results.map(({ latenessP99Ms }) => latenessP99Ms)).median,
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    failed: results.reduce((sum, { errors, unanswered }) => sum + errors + unanswered, 0),
  }
}
