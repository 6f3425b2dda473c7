import type { BenchResult } from '../bench.ts'
import { othersShareMax, preliminarySentence } from '../processes/other-processes.ts'
import { hasChrt } from '../processes/pin.ts'
import type { Backends } from '../processes/start-backends.ts'
import { figure, markdownTable, percent, ratio } from '../report/table.ts'
import { shadowDeadlineMs } from '../sides/side.ts'
import { type Estimate, meanRatio } from './compare-sides.ts'
import { control, type Fault, noFault } from './faults.ts'
import type { MeasuredFault } from './measure-fault.ts'
import { connections, type FaultPlan, requestBytes, requestsPerSecond, warmUpRequestsPerSecond } from './plan.ts'

interface Measured {
  measured: readonly MeasuredFault[]
  /** Faults that could not be produced on this machine. */
  left: readonly Fault[]
  backends: Backends
  plan: FaultPlan
}

const ratioMax = 1.1

export function describeFaults({ measured, left, backends, plan }: Measured): BenchResult {
  const long = measured.find(({ fault }) => fault.lasts === 'long')
  const turns = measured.reduce((sum, one) => sum + one.turns, 0)
  const counted = measured.reduce((sum, one) => sum + Math.min(one.turns, one.plan.turns), 0)
  const markdown = `## What does a client notice of a fault behind the mirror?

**In short:** ${inShort(measured)}

${findings(measured)}

${faultTable(measured)}

### How it is measured

- **Load:** ${requestsPerSecond} requests/s with bodies of ${figure(requestBytes[0]!)} bytes over ${connections} connections. Latency counts from the intended arrival, a random moment of each 1/${requestsPerSecond} s, so that arrivals do not stay in step with the mirror’s timers.
- **Sides:** for each fault two mirrors are started, warmed up with ${figure((plan.warmUpMs / 1000) * warmUpRequestsPerSecond)} requests each, and loaded in turns: one with mirroring off and one with the fault (in the first row, another one with mirroring off). ${lengthOf(plan)}${long ? `; the long one has ${lengthOf(long.plan)}` : ''}.
- **Figures** are those of all requests of all turns together, without the first ${plan.uncountedMs / 1000} s of each, when caches and clocks are cold from the other side’s turn. In brackets are 95 % intervals of a bootstrap that draws whole turns.
- **“In the median turn”:** the median of the p99s of single turns. A pause of the machine or of V8 can decide the p99 of all requests, but not this one.
- **Disturbed turns:** a turn in which other processes, or other guests of the host, took more than ${percent(othersShareMax)} of the machine's CPU was repeated, up to ${plan.turnsMax} turns in all; those with the least disturbance count (${figure(counted)} of ${figure(turns)} turns). Errors count in all of them.
- **“Load late”** is how late the load generator itself was: a p99 that is not well above it is the generator's. A **client error** is a request that was not answered, or not with a 200 and exactly the primary's bytes. **“Ended as”** is the mirror's own ledger at the end, its warm-up included.

**Measured on** ${backends.machine}. ${backends.pinning.sentence} ${yielding()} Limits are at their defaults, except a shadow's deadline of ${shadowDeadlineMs} ms. The candidates are those of \`test/faults\`, which tests under the same faults that clients get the primary's bytes, and that the mirror recovers without a restart. The comparator is killed once the mirrors are warm; the full disk is a file system of one megabyte; the vanishing clients, a new one every 25 ms, use both mirrors.${left.map(({ name }) => ` Left out on this machine, which lets nobody mount a file system: ${name}.`).join('')}

To reproduce: \`npx node bench/run.ts faults\`; with \`--quick\` it prints the page after short rounds instead of writing it. Use an idle machine.
`
  const broken = measured
    .filter(({ sent }) => sent.on.failed > 0)
    .map(
      ({ fault, sent: { on } }) => `${fault.name}: ${on.failed} of ${on.requests} requests failed or were not answered`,
    )
  return { markdown, broken }
}

/** The answer in a sentence or two. */
function inShort(measured: readonly MeasuredFault[]): string {
  const mirrored = measured.filter(({ fault }) => fault !== control)
  const ofAll = mirrored.length > 1 ? meanRatio(mirrored.map(({ p99 }) => p99)) : undefined
  const p99 = ofAll ? ` Over all of them p99 was ${estimate(ofAll)} × that with mirroring off.` : ''
  return `${failures(measured)}${p99}`
}

function failures(measured: readonly MeasuredFault[]): string {
  const total = measured.reduce((sum, { sent }) => sum + sent.on.requests, 0)
  const failed = measured.reduce((sum, { sent }) => sum + sent.on.failed, 0)
  const faults = measured.filter(({ fault }) => fault !== noFault && fault !== control).length
  const without = measured.length > faults ? ' and without one' : ''
  return `${figure(failed)} of ${figure(total)} requests failed under ${faults} fault${faults === 1 ? '' : 's'}${without}.`
}

/** The answer in a list, whichever way the figures fall. */
function findings(measured: readonly MeasuredFault[]): string {
  const same = measured.find(({ fault }) => fault === control)
  const mirrored = measured.filter((one) => one !== same)
  const together =
    mirrored.length > 1
      ? {
          ofAll: meanRatio(mirrored.map(({ p99 }) => p99)),
          ofMedianTurn: meanRatio(mirrored.map(({ p99OfMedianTurn }) => p99OfMedianTurn)),
        }
      : undefined
  return [
    together
      ? `Over all rows${same ? ' but the first' : ''} (geometric mean), p99 of all requests was ${estimate(together.ofAll)}× that with mirroring off, and ${estimate(together.ofMedianTurn)}× in the median turn.`
      : '',
    aboveLimit(mirrored),
    aboveInMedianTurn(mirrored),
    same
      ? `For comparison, two mirrors that both have mirroring off differ by ${estimate(same.p99.ratio)}×, and by ${estimate(same.p99OfMedianTurn.ratio)}× in the median turn.`
      : '',
    preliminarySentence(Math.max(...measured.map(({ othersShare }) => othersShare))) ?? '',
  ]
    .filter((sentence) => sentence !== '')
    .map((sentence) => `- ${sentence}`)
    .join('\n')
}

function aboveLimit(mirrored: readonly MeasuredFault[]): string {
  const named = (those: readonly MeasuredFault[]) =>
    those.map(({ fault, p99 }) => `${fault.name} (${ratio(p99.ratio.value, 1)})`).join('; ')
  const certain = mirrored.filter(({ p99 }) => p99.ratio.low > ratioMax)
  const likely = mirrored.filter(({ p99 }) => p99.ratio.value > ratioMax && p99.ratio.low <= ratioMax)
  const first =
    certain.length === 0
      ? `No fault certainly raised the p99 of all requests above ${ratioMax}×`
      : `Certainly above ${ratioMax}×, by the p99 of all requests: ${named(certain)}`
  return likely.length === 0
    ? `${first}.`
    : `${first}; measured above, but with ${ratioMax}× in the interval: ${named(likely)}.`
}

function aboveInMedianTurn(mirrored: readonly MeasuredFault[]): string {
  const certain = mirrored.filter(({ p99OfMedianTurn }) => p99OfMedianTurn.ratio.low > ratioMax)
  const named = certain.map(({ fault, p99OfMedianTurn }) => `${fault.name} (${ratio(p99OfMedianTurn.ratio.value, 1)})`)
  return certain.length === 0 ? '' : `In the median turn, certainly above ${ratioMax}×: ${named.join('; ')}.`
}

function faultTable(measured: readonly MeasuredFault[]): string {
  const rows = measured.map((one) => [
    one.fault.name,
    figure(one.p50.offMs),
    figure(one.p50.onMs),
    estimate(one.p50.differenceMs),
    figure(one.p99.offMs),
    figure(one.p99.onMs),
    estimate(one.p99.differenceMs),
    estimate(one.p99.ratio),
    estimate(one.p99OfMedianTurn.ratio),
    figure(one.latenessP99Ms),
    figure(one.sent.on.failed),
    endedAs(one),
  ])
  const head = [
    'fault',
    'p50 off, ms',
    'p50, ms',
    'added, ms',
    'p99 off, ms',
    'p99, ms',
    'added, ms',
    '×',
    '× in the median turn',
    'load late, p99, ms',
    'client errors',
    'ended as',
  ]
  return markdownTable(head, rows)
}

const estimate = ({ value, low, high }: Estimate) => `${figure(value)} (${figure(low)} to ${figure(high)})`

function endedAs({ account }: MeasuredFault): string {
  if (account === undefined) return '–'
  const { seen, delivered, pending, skipped } = account
  return Object.entries({ delivered, pending, ...skipped })
    .filter(([, count]) => count > 0)
    .map(([end, count]) => `${end} ${percent(count / seen)}`)
    .join(', ')
}

const yielding = () =>
  hasChrt()
    ? 'Candidate, comparator and vanishing clients yield to the rest (SCHED_IDLE), as if on machines of their own: what a faulty candidate computes is no fault of the mirror’s.'
    : 'Candidate and comparator compete with primary and load generator for CPU time (no `chrt` here), and what they compute shows in these figures.'

const lengthOf = ({ turns, durationMs }: FaultPlan) =>
  `${turns} turn${turns === 1 ? '' : 's'} of ${durationMs / 1000} s each`
