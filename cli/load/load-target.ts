import { CliFailure, exitCodes } from '../failure.ts'
import { interruptedStatus, interruptible } from '../interrupt.ts'
import { printJson } from '../print-json.ts'
import type { Spacing } from './arrivals.ts'
import { answerCapacity, type PodsOptions, printedCapacity } from './capacity-answer.ts'
import { pullRequests } from './from-validation.ts'
import { type LoadSettings, printedLoad, runAtRate, runCapacitySearch } from './run-load.ts'
import { isHeader, readRequests, type StoredRequest, storedBytesMax } from './stored-requests.ts'
import type { Replaced } from './yearly-cost.ts'

export interface LoadOptions {
  target: URL
  requests?: string
  fromValidation?: string
  requestsMax: number
  server?: string
  token?: string
  header?: string[]
  rate: number
  duration: number
  warmUp: number
  arrivals?: Spacing
  connections: number
  timeout: number
  seed: number
  latency?: number
  percentile: number
  failuresMax: number
  findCapacity?: true
  rateMax: number
  podsFor?: number
  headroom: number
  targetPods: number
  regions: number
  pricePerHour?: number
  replaces?: Replaced
  json?: true
}

/**
 * Runs the command from its options to its exit status. Throws a `CliFailure` for invalid input or an unreachable
 * target.
 */
export async function loadTarget(options: LoadOptions): Promise<number> {
  const settings = await settingsOf(options)
  return interruptible((signal) =>
    options.findCapacity ? reportCapacity(settings, options, signal) : reportLoad(settings, options, signal),
  )
}

async function settingsOf(options: LoadOptions): Promise<LoadSettings> {
  const { target, rate, connections, seed, latency } = options
  const limit =
    latency === undefined
      ? undefined
      : { latencyMs: latency, percentile: options.percentile, failuresMax: options.failuresMax }
  return {
    target,
    requests: await requestsOf(options),
    headers: Object.fromEntries((options.header ?? []).map(parseHeader)),
    pace: {
      rate,
      durationMs: options.duration,
      spacing: options.arrivals ?? (options.findCapacity ? 'poisson' : 'even'),
      seed,
    },
    warmUpMs: options.warmUp,
    connections,
    // how far beyond the limit a request ends does not matter, and waiting for it would only delay the next step
    timeoutMs: options.findCapacity ? Math.min(options.timeout, Math.max(2_000, latency! * 4)) : options.timeout,
    limit,
  }
}

async function requestsOf(options: LoadOptions): Promise<StoredRequest[]> {
  const { requests, fromValidation, server, token, requestsMax } = options
  if ((requests === undefined) === (fromValidation === undefined)) {
    throw new CliFailure('expected --requests FILE, or --from-validation NAME with --server URL')
  }
  if (requests !== undefined) return readRequests(requests)
  const pulled = await pullRequests(
    fromValidation!,
    { server: server!, ...(token !== undefined && { token }) },
    requestsMax,
  )
  const without = pulled.withoutBody > 0 ? `; ${pulled.withoutBody} no longer have a body` : ''
  const cut = pulled.isCut ? `; older ones are left out: the limit is ${storedBytesMax / 1024 ** 2} MiB of bodies` : ''
  process.stderr.write(`${pulled.requests.length} requests of ${fromValidation}${without}${cut}\n`)
  if (pulled.kept === 'worst') {
    process.stderr.write('only the worst are kept (store: { bodies: worst }): they may not be representative\n')
  }
  return pulled.requests
}

function parseHeader(text: string): [string, string] {
  const match = /^([^:]+):\s*(.*)$/.exec(text)
  if (!match || !isHeader(match[1]!, match[2]!)) throw new CliFailure(`--header ${text}: expected NAME: VALUE`)
  return [match[1]!.toLowerCase(), match[2]!]
}

async function reportLoad(settings: LoadSettings, { json }: LoadOptions, signal: AbortSignal): Promise<number> {
  const report = await runAtRate(settings, signal)
  const { requests, failures, limit } = report
  if (json) printJson({ target: settings.target.href, ...report })
  else process.stdout.write(`${printedLoad(report)}\n`)
  if (signal.aborted) return interruptedStatus
  if (failures === requests) process.stderr.write(`all ${requests} requests failed\n`)
  return (limit?.held ?? failures === 0) ? exitCodes.ok : exitCodes.fail
}

async function reportCapacity(settings: LoadSettings, options: LoadOptions, signal: AbortSignal): Promise<number> {
  const { rateMax, podsFor: rate, headroom, targetPods, regions, pricePerHour, replaces, json } = options
  const report = await runCapacitySearch({ ...settings, limit: settings.limit!, rateMax }, signal)
  const question: PodsOptions = { rate, headroom, targetPods, regions, pricePerHour, replaces }
  const answer = answerCapacity(report, question)
  if (json) printJson({ target: settings.target.href, ...report, ...answer })
  else process.stdout.write(`${printedCapacity(report, answer, question)}\n`)
  if (signal.aborted) return interruptedStatus
  return report.capacity > 0 && report.confirmed ? exitCodes.ok : exitCodes.fail
}
