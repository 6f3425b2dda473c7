import { CliFailure } from '../failure.ts'
import { ProgressLine } from '../progress-line.ts'
import { figure } from '../text-table.ts'
import type { Pace } from './arrivals.ts'
import { findCapacity } from './find-capacity.ts'
import { loadAtFixedRate } from './fixed-rate.ts'
import { LoadClient } from './load-client.ts'
import {
  isBrokenByRequests,
  isLoadLate,
  type Limit,
  type LoadReport,
  loadRemarks,
  loadTable,
  reportOf,
  stepLine,
} from './load-report.ts'
import { hasRecovered } from './recovery.ts'
import type { StoredRequest } from './stored-requests.ts'

export interface LoadSettings {
  target: URL
  requests: readonly StoredRequest[]
  headers: Record<string, string>
  pace: Pace
  warmUpMs: number
  connections: number
  timeoutMs: number
  limit: Limit | undefined
}

export interface CapacityReport {
  limit: Limit
  /** Requests per second; 0 if no rate passed. */
  capacity: number
  confirmed: boolean
  /** The load generator itself was late at the lowest rate that failed, so the target may be able to serve more. */
  limitedByLoad: boolean
  /** That rate failed only by answers that refuse single requests, such as 400, which does not depend on the rate. */
  limitedByRequests: boolean
  steps: LoadReport[]
}

const precision = 0.05
const stepsMax = 20
const spokenDuration = (ms: number) => `${figure(ms / 1000)} s`

/** One run at one rate. After an interrupt, reports what was measured until then. */
export function runAtRate(settings: LoadSettings, signal: AbortSignal): Promise<LoadReport> {
  return withClient(settings, signal, (run) => oneRun(run, settings, settings.pace.rate))
}

/** Finds the highest rate within the limit, starting from the pace's rate; each step lasts as long as the pace. */
export function runCapacitySearch(
  settings: LoadSettings & { limit: Limit; rateMax: number },
  signal: AbortSignal,
): Promise<CapacityReport> {
  const { limit, rateMax: max } = settings
  // the warm-up uses the first rate too
  const pace = { ...settings.pace, rate: Math.min(settings.pace.rate, max) }
  return withClient({ ...settings, pace }, signal, async (run) => {
    const { client, progress } = run
    const steps: LoadReport[] = []
    // twice its capacity leaves the target a backlog of at most one step's duration
    const recovery = { ...settings, client, latencyMs: limit.latencyMs, atMostMs: pace.durationMs, signal }
    const recover = async () => {
      if ((await hasRecovered(recovery)) || signal.aborted) return
      progress.say(
        `      the target has not recovered after ${spokenDuration(recovery.atMostMs)}; the next step includes its backlog`,
      )
    }
    const holds = async (rate: number) => {
      if (steps.at(-1)?.limit?.held === false) await recover()
      // the second run at a rate would otherwise repeat the bursts that the first one was lucky to have
      const seed = pace.seed + steps.length
      const report = await oneRun(run, { ...settings, pace: { ...pace, seed } }, rate)
      if (!signal.aborted) {
        steps.push(report)
        progress.say(stepLine(report))
      }
      return report.limit!.held
    }
    const found = await findCapacity({ start: pace.rate, max, stepsMax, precision, signal }, holds)
    const broken = steps.filter((step) => !step.limit!.held).sort((a, b) => a.rate - b.rate)[0]
    const limitedByLoad = broken !== undefined && isLoadLate(broken)
    const limitedByRequests = broken !== undefined && isBrokenByRequests(broken)
    return { limit, capacity: found.rate, confirmed: found.confirmed, limitedByLoad, limitedByRequests, steps }
  })
}

interface Run {
  client: LoadClient
  progress: ProgressLine
  signal: AbortSignal
}

async function withClient<Result>(
  settings: LoadSettings,
  signal: AbortSignal,
  load: (run: Run) => Promise<Result>,
): Promise<Result> {
  const client = new LoadClient(settings)
  const close = () => void client.close()
  signal.addEventListener('abort', close)
  const progress = new ProgressLine()
  try {
    await requireTarget(client, settings, signal)
    if (settings.warmUpMs > 0) {
      await loadAtFixedRate({ client, ...settings, pace: { ...settings.pace, durationMs: settings.warmUpMs }, signal })
    }
    return await load({ client, progress, signal })
  } finally {
    signal.removeEventListener('abort', close)
    await client.close()
  }
}

/** Distinguishes a target that is not there from one that fails. */
async function requireTarget(
  client: LoadClient,
  { requests, target, timeoutMs }: LoadSettings,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await client.send(requests[0]!, timeoutMs)
  // an interrupt aborts the request, which says nothing about the target
  if (signal.aborted) return
  if (outcome.kind === 'answered') return
  const { reason, example } = outcome
  if (/^HTTP 3/.test(reason)) {
    throw new CliFailure(`${target.href} redirects to ${example}: give the address that answers as --target`)
  }
  if (!reason.startsWith('HTTP ')) throw new CliFailure(`${target.href} does not answer: ${reason}`)
}

async function oneRun({ client, progress, signal }: Run, settings: LoadSettings, rate: number): Promise<LoadReport> {
  const result = await loadAtFixedRate({
    client,
    ...settings,
    pace: { ...settings.pace, rate },
    signal,
    onProgress: ({ total }, elapsedMs) => {
      const p99 = `p99 ${figure(total.latencies.percentile(99))} ms`
      const counts = `${total.requests} requests, ${total.failures} failures`
      progress.show(
        `${figure(rate)} requests/s  ${spokenDuration(elapsedMs)} of ${spokenDuration(settings.pace.durationMs)}  ${counts}, ${p99}`,
      )
    },
  })
  progress.clear()
  return reportOf(result, rate, settings.limit)
}

export const printedLoad = (report: LoadReport) => `${loadTable(report)}\n\n${loadRemarks(report).join('\n')}`.trimEnd()
