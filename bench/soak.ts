import type { Bench, BenchSurroundings } from './bench.ts'
import type { FixedRateResult } from './load/load-fixed-rate.ts'
import { cpuSeconds } from './processes/cpu-time.ts'
import { watchOtherProcesses } from './processes/other-processes.ts'
import { settle } from './processes/settle.ts'
import { startBackends } from './processes/start-backends.ts'
import { startUnderstudy } from './sides/understudy.ts'
import { describeSoak } from './soak/describe.ts'
import { handlesAtRest } from './soak/handles-at-rest.ts'
import { skippedOf } from './soak/judge-ledger.ts'
import {
  connections,
  patienceMs,
  requestBytes,
  requestsPerSecond,
  soakPlan,
  warmUpRequestsPerSecond,
} from './soak/plan.ts'
import { sampleEvery } from './soak/sample.ts'

const fullMinutes = 10
const quickMinutes = 0.5
/** Time for an overloaded mirror to finish its deliveries. */
const restMaxMs = 60_000

/**
 * Does the mirror stay stable under load? Watches memory, handles and the ledger over minutes of mixed bodies. Reads
 * /proc.
 */
export const soak: Bench = {
  name: 'soak',
  async run(around: BenchSurroundings) {
    const { children, directory, progress } = around
    const plan = soakPlan(around.minutes ?? (around.quick ? quickMinutes : fullMinutes))
    const backends = await startBackends(around, { acceptOnce: true })
    const { primary, candidate, comparator } = backends.upstreams
    const mirror = await startUnderstudy(children, {
      name: 'mirror',
      directory,
      cpus: backends.pinning.proxy,
      primary,
      candidate,
      comparator,
      share: 1,
      forwarder: 'wire',
    })
    const load = async (rate: number, durationMs: number) => {
      const shape = { kind: 'fixedRate', port: mirror.port, connections, requestBytes, patienceMs } as const
      const result = await backends.load<FixedRateResult>({ ...shape, requestsPerSecond: rate, durationMs })
      return { ...result, failed: result.errors + result.unanswered }
    }

    const warmUp = await load(warmUpRequestsPerSecond, plan.warmUpMs)
    await settle(mirror, restMaxMs)
    const before = await handlesAtRest(mirror.pid, backends)
    progress(`${warmUp.requests} requests of warm-up, ${warmUp.failed} failed; ${before} handles at rest`)

    const shareOfOthers = watchOtherProcesses()
    const [cpuBefore, startedAt] = [cpuSeconds(mirror.pid)!, performance.now()]
    const end = new AbortController()
    const sampling = sampleEvery(plan.sampleEveryMs, mirror, end.signal, ({ atMs, rssBytes, handles, ledger }) =>
      progress(
        `${(atMs / 1000).toFixed(0)} s: ${(rssBytes / 1024 ** 2).toFixed(0)} MiB, ${handles} handles, seen ${ledger.seen}, delivered ${ledger.delivered}, pending ${ledger.pending}, skipped ${skippedOf(ledger)}`,
      ),
    )
    const loading = load(requestsPerSecond, plan.durationMs).finally(() => end.abort())
    const [run, samples] = await Promise.all([loading, sampling])
    const busy = (cpuSeconds(mirror.pid)! - cpuBefore) / ((performance.now() - startedAt) / 1000)
    const othersShare = shareOfOthers()
    await settle(mirror, restMaxMs)
    const after = await handlesAtRest(mirror.pid, backends)

    const atShadow = await backends.shadowCounts()
    const counts = {
      sent: warmUp.requests + run.requests,
      primary: (await backends.primaryCounts()).model,
      candidate: atShadow.model,
      comparator: atShadow.observations,
      ledger: await mirror.ledger(),
    }
    return describeSoak({
      plan,
      machine: backends.machine,
      pinningSentence: backends.pinning.sentence,
      load: run,
      failed: warmUp.failed + run.failed,
      samples,
      handles: { before, after },
      counts,
      busy,
      othersShare,
    })
  },
}
