import { type Spread, spreadOf } from '../report/spread.ts'
import { figure, markdownTable, met, percent, times } from '../report/table.ts'
import { fixedRateOf, type Measured, type MeasuredPayload, saturatedOf } from './measured.ts'

interface Goal {
  goal: string
  measured: string
  /** Undefined if the side to compare with is missing. */
  isMet: boolean | undefined
}

const throughputRatioMin = 1
const addedP50MaxMs = 0.3
const addedP99MaxMs = 1
const hungP99RatioMax = 1.1
const forwarderRatioMin = 1.5

/**
 * Compares two sides turn by turn, since they ran within seconds of each other, and takes the median turn: variations
 * of the machine that affect a whole turn cancel out.
 */
export function goalsTable({ main, stage }: Measured): string {
  const goals = [
    ...(stage.nginxVersion === undefined ? [withoutNginx] : [throughput(main)]),
    addedLatency(main, 'p50Ms', addedP50MaxMs),
    addedLatency(main, 'p99Ms', addedP99MaxMs),
    hungCandidate(main),
    forwarder(main),
  ]
  const rows = goals.map(({ goal, measured, isMet }) => [goal, measured, met(isMet)])
  return markdownTable(['goal', 'measured', 'met'], rows)
}

const throughputGoal = `throughput at 2 KB ≥ ${throughputRatioMin} × that of nginx with \`mirror\`, with everything captured, queued and delivered`
const withoutNginx: Goal = { goal: throughputGoal, measured: 'nginx is not installed', isMet: undefined }

function throughput(main: MeasuredPayload): Goal {
  const ratio = rateRatio(main, 'share-100', 'nginx-mirror')
  const { seen, mirrored } = saturatedOf(main, 'share-100').account!
  const cpu = (name: string) => saturatedOf(main, name).cpuMicros?.median ?? Number.NaN
  return {
    goal: throughputGoal,
    measured: `${times(ratio)}, ${percent(mirrored / seen)} of the exchanges delivered; ${figure(cpu('share-100') / cpu('nginx-mirror'))} × the CPU a request`,
    isMet: ratio.median >= throughputRatioMin && mirrored === seen,
  }
}

/** By everything mirrored, to no proxy, turn by turn. */
export const addedBy = (main: MeasuredPayload, quantile: 'p50Ms' | 'p99Ms'): Spread =>
  byTurn(fixedRateRounds(main, 'share-100', quantile), fixedRateRounds(main, 'direct', quantile), minus)

function addedLatency(main: MeasuredPayload, quantile: 'p50Ms' | 'p99Ms', maxMs: number): Goal {
  const added = addedBy(main, quantile)
  return {
    goal: `${quantile.slice(0, 3)} added to no proxy ≤ ${maxMs} ms at ${main.plan.payload.requestsPerSecond} requests/s, share 100 %`,
    measured: `${figure(added.median)} ms (${figure(added.min)} to ${figure(added.max)})`,
    isMet: added.median <= maxMs,
  }
}

function hungCandidate(main: MeasuredPayload): Goal {
  const p99 = (name: string) => fixedRateRounds(main, name, 'p99Ms')
  const toAnswering = byTurn(p99('hung'), p99('share-100'), over)
  const toShare0 = byTurn(p99('hung'), p99('share-0'), over)
  return {
    goal: `a hung candidate changes p99 by ≤ ${percent(hungP99RatioMax - 1)} at ${main.plan.payload.requestsPerSecond} requests/s`,
    measured: `${times(toAnswering)} of that with a candidate that answers; ${times(toShare0)} of that with share 0`,
    isMet: toAnswering.median <= hungP99RatioMax,
  }
}

function forwarder(main: MeasuredPayload): Goal {
  const forwardOnly = rateRatio(main, 'share-0', 'http-proxy-3-share-0')
  const everything = rateRatio(main, 'share-100', 'http-proxy-3-share-100')
  return {
    goal: `forwarder \`wire\` ≥ ${forwarderRatioMin} × the throughput of \`http-proxy-3\` at 2 KB, share 0`,
    measured: `${times(forwardOnly)}; ${times(everything)} with share 100 %`,
    isMet: forwardOnly.median >= forwarderRatioMin,
  }
}

function rateRatio(main: MeasuredPayload, name: string, base: string): Spread {
  const rates = (side: string) => saturatedOf(main, side).rounds.map(({ requestsPerSecond }) => requestsPerSecond)
  return byTurn(rates(name), rates(base), over)
}

const fixedRateRounds = (main: MeasuredPayload, name: string, quantile: 'p50Ms' | 'p99Ms') =>
  fixedRateOf(main, name).rounds.map((round) => round[quantile])

const byTurn = (values: number[], bases: number[], compare: (value: number, base: number) => number): Spread =>
  spreadOf(values.map((value, turn) => compare(value, bases[turn]!)))

const minus = (value: number, base: number) => value - base
const over = (value: number, base: number) => value / base
