import { printableLine } from '../printable.ts'
import { figure, textTable } from '../text-table.ts'
import { fewAnswers } from './few-answers.ts'
import type { FixedRateResult } from './fixed-rate.ts'
import type { Latencies } from './latencies.ts'
import type { Entry } from './tally.ts'

export interface Limit {
  latencyMs: number
  percentile: number
  /** Share of requests that may fail. */
  failuresMax: number
}

/** What `--json` prints for one run. Latencies are in ms; `null` if nothing was answered. */
export interface LoadReport {
  rate: number
  durationMs: number
  requests: number
  failures: number
  /** Answers below status 400 per second. */
  requestsPerSecond: number
  latencyMs: LatencyView
  byName: ({ name: string; requests: number; failures: number; requestsPerSecond: number } & {
    latencyMs: LatencyView
  })[]
  failureReasons: { reason: string; count: number; example: string }[]
  /** Requests that waited for a connection; the wait is included in their latency. */
  waitedForConnection: number
  /** How late the load generator itself was: latencies below this mean nothing. */
  latenessP99Ms: number | null
  limit: (Limit & { valueMs: number | null; held: boolean }) | null
}

type LatencyView = Record<'avg' | 'min' | 'max' | 'median' | 'p95' | 'p99', number | null>

export function reportOf(result: FixedRateResult, rate: number, limit: Limit | undefined): LoadReport {
  const { tally, elapsedMs, lateness, waited } = result
  const view = ({ requests, failures, latencies }: Entry) => ({
    requests,
    failures,
    requestsPerSecond: latencies.count === 0 ? 0 : latencies.count / (elapsedMs / 1000),
    latencyMs: latencyView(latencies),
  })
  const valueMs = limit ? orNull(tally.total.latencies.percentile(limit.percentile)) : null
  return {
    rate,
    durationMs: elapsedMs,
    ...view(tally.total),
    byName: [...tally.byName].map(([name, entry]) => ({ name, ...view(entry) })),
    failureReasons: [...tally.byReason].map(([reason, { count, example }]) => ({ reason, count, example })),
    waitedForConnection: waited,
    latenessP99Ms: orNull(lateness.percentile(99)),
    limit: limit ? { ...limit, valueMs, held: holds(tally.total, limit) } : null,
  }
}

/** Whether a run is within the limit; one without answers never is. */
export function holds({ requests, failures, latencies }: Entry, limit: Limit): boolean {
  // divides, because the limit was parsed by a division too; a product would round differently
  return latencies.percentile(limit.percentile) <= limit.latencyMs && failures / requests <= limit.failuresMax
}

const orNull = (value: number) => (Number.isFinite(value) ? value : null)

const latencyView = (latencies: Latencies): LatencyView => ({
  avg: orNull(latencies.mean),
  min: orNull(latencies.min),
  max: orNull(latencies.max),
  median: orNull(latencies.percentile(50)),
  p95: orNull(latencies.percentile(95)),
  p99: orNull(latencies.percentile(99)),
})

const head = ['name', '# requests', '# failures', 'avg', 'min', 'max', 'median', 'p95', 'p99', 'requests/s']

/** Locust's table: one line per name, then the total. */
export function loadTable(report: LoadReport): string {
  const row = (name: string, entry: Omit<LoadReport['byName'][number], 'name'>) => [
    name,
    String(entry.requests),
    `${entry.failures} (${figure(entry.requests === 0 ? 0 : (100 * entry.failures) / entry.requests)} %)`,
    ...Object.values(entry.latencyMs).map((value) => figure(value ?? Number.NaN)),
    figure(entry.requestsPerSecond),
  ]
  const names = report.byName.map(({ name, ...entry }) => row(name, entry))
  return `${textTable(head, [...names, row('all', report)])}\n(times in ms)`
}

/** What a reader needs to know besides the table, one sentence per line. */
export function loadRemarks(report: LoadReport): string[] {
  const { failureReasons, waitedForConnection, requests, latenessP99Ms, limit } = report
  const lines = failureReasons.map(
    ({ reason, count, example }) => `failed: ${count} × ${reason}${example ? `, such as ${oneLine(example)}` : ''}`,
  )
  if (waitedForConnection > requests / 100) {
    lines.push(
      `${waitedForConnection} of ${requests} requests waited for a free connection, and their latency includes the wait; raise --connections if the target takes more at once`,
    )
  }
  if (isLoadLate(report)) {
    lines.push(
      `the load generator was late by ${figure(latenessP99Ms ?? 0)} ms at p99: run it on a machine with more free CPU, or lower --rate`,
    )
  }
  if (limit) lines.push(limitLine(limit, report))
  return [...lines, ...fewInLimit(report)]
}

export const fewInLimit = ({ limit, requests, failures }: LoadReport): string[] =>
  limit === null ? [] : fewAnswers(limit.percentile, requests - failures, '--duration')

/** Whether the load generator's own lateness is too large a part of the measured latency. */
export function isLoadLate({ latenessP99Ms, latencyMs, limit }: LoadReport): boolean {
  return latenessP99Ms !== null && latenessP99Ms > Math.max(2, 0.2 * (limit?.latencyMs ?? latencyMs.p99 ?? 0))
}

/**
 * Whether the limit was broken only by answers that refuse a request for what it is, such as 400 or 404: they come at any
 * rate. 408 and 429 can be due to the load.
 */
export function isBrokenByRequests({ limit, failureReasons }: LoadReport): boolean {
  if (limit === null || limit.held || failureReasons.length === 0) return false
  const isQuick = limit.valueMs === null || limit.valueMs <= limit.latencyMs
  return isQuick && failureReasons.every(({ reason }) => /^HTTP 4(?!08|29)/.test(reason))
}

function limitLine(
  { latencyMs, percentile, failuresMax, valueMs, held }: NonNullable<LoadReport['limit']>,
  { requests, failures, failureReasons }: LoadReport,
): string {
  const share = figure(requests === 0 ? 0 : (100 * failures) / requests)
  const why = failureReasons.length === 0 ? '' : `: ${failureReasons.map(({ reason }) => reason).join(', ')}`
  return `${held ? 'held' : 'broken'}: p${percentile} ${figure(valueMs ?? Number.NaN)} ms (limit ${latencyMs} ms), failures ${share} % (limit ${figure(failuresMax * 100)} %)${why}`
}

/** One step of a capacity search. */
export function stepLine(report: LoadReport): string {
  const late = isLoadLate(report) ? '; the load generator was late' : ''
  return `${figure(report.rate).padStart(8)} requests/s  ${report.limit ? limitLine(report.limit, report) : ''}${late}`
}

const oneLine = (text: string) => printableLine(text.replace(/\s+/g, ' ').slice(0, 160))
