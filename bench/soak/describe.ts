import type { BenchResult } from '../bench.ts'
import type { FixedRateResult } from '../load/load-fixed-rate.ts'
import { preliminarySentence } from '../processes/other-processes.ts'
import { figure, markdownTable, met, percent } from '../report/table.ts'
import { type Counts, ledgerFaults, skippedOf } from './judge-ledger.ts'
import { growthMax, judgeMemory, type MemoryGrowth } from './judge-memory.ts'
import {
  connections,
  largeBytes,
  largeShare,
  requestsPerSecond,
  type SoakPlan,
  smallBytes,
  warmUpRequestsPerSecond,
} from './plan.ts'
import type { Sample } from './sample.ts'

interface Soaked {
  plan: SoakPlan
  machine: string
  pinningSentence: string
  load: FixedRateResult
  /** Requests during warm-up and run that failed or were not answered. */
  failed: number
  samples: Sample[]
  handles: { before: number; after: number }
  counts: Counts
  /** Share of its CPU that the mirror used during the run. */
  busy: number
  /** Share of the machine's CPU used by processes other than the bench's during the run. */
  othersShare: number | undefined
}

const rowsMax = 12
const MiB = 1024 ** 2
const minuteMs = 60_000

export function describeSoak(soaked: Soaked): BenchResult {
  const { plan, samples, handles, counts, failed } = soaked
  const memory = judgeMemory(samples)
  const faults = ledgerFaults(counts)
  const hasHandlesLeft = handles.after > handles.before
  const minutes = figure(plan.durationMs / minuteMs)
  const preliminary = preliminarySentence(soaked.othersShare)
  const inShort = [
    `${figure(failed)} of ${figure(counts.sent)} requests failed in ${minutes} minutes at ${figure(requestsPerSecond)} requests/s with everything mirrored, warm-up included`,
    faults.length === 0 ? 'the ledger accounts for every one' : 'the ledger is wrong',
    memory.verdict === 'flat' ? 'memory stays flat' : `memory: ${memory.verdict}`,
  ].join('; ')
  const paragraph = [...(preliminary === undefined ? [] : [preliminary]), howItRan(soaked)]
  const markdown = `## Does the mirror stay as it is under load?

**In short:** ${inShort}.

${markdownTable(
  [`after ${minutes} minutes`, 'measured', 'met'],
  [
    ['no client error', `${figure(failed)} of ${figure(counts.sent)} requests failed`, met(failed === 0)],
    ['ledger exact', faults.length === 0 ? ledgerSentence(counts) : faults.join('; '), met(faults.length === 0)],
    [
      'memory flat',
      memorySentence(memory),
      memory.verdict === 'inconclusive' ? 'inconclusive' : met(memory.verdict === 'flat'),
    ],
    ['no handle growth', `${handles.before} at rest before, ${handles.after} at rest after`, met(!hasHandlesLeft)],
  ],
)}

${paragraph.join(' ')}

**Measured on** ${soaked.machine}. ${soaked.pinningSentence}

${samplesTable(samples)}

- Sampled every ${figure(plan.sampleEveryMs / 1000)} s; ${Math.min(rowsMax, samples.length)} of ${samples.length} samples are shown. “Memory” is the process's resident set, “heap” what V8 has in use, “handles” its open file descriptors, and “held” what it counts against \`capture.memoryMax\`.
- “Flat”: the growth over the second half, from the slope of an ordinary least squares fit, plus two standard errors (valid under serial correlation, since memory rises and falls over minutes) stays below ${percent(growthMax)} of the median. It is inconclusive if the limit lies between the bounds.
- Handles at rest are counted with nothing in flight, after a warm-up of ${figure(plan.warmUpMs / 1000)} s at ${warmUpRequestsPerSecond} requests/s and again at the end, once the upstreams have closed their idle connections.
- Warm-up and run are counted together. Client, primary, candidate and comparator each count for themselves.

To reproduce: \`npm ci && npx node bench/run.ts soak\`; \`--minutes N\` sets its length, \`--quick\` prints instead of writing.
`
  return {
    markdown,
    broken: [
      ...(failed === 0 ? [] : [`${failed} requests failed or were not answered`]),
      ...faults,
      ...(memory.verdict === 'grows' ? [`memory grows: ${memorySentence(memory)}`] : []),
      ...(hasHandlesLeft ? [`${handles.before} handles at rest before, ${handles.after} after`] : []),
    ],
  }
}

function howItRan({ plan, load, busy }: Soaked): string {
  const bytesPerSecond = requestsPerSecond * (smallBytes * (1 - largeShare) + largeBytes * largeShare)
  return [
    `The mirror as a process, at share 100 %: ${figure(requestsPerSecond)} requests/s over ${connections} connections for ${figure(plan.durationMs / minuteMs)} minutes, ${percent(1 - largeShare)} of them with ${smallBytes / 1024} KB and ${percent(largeShare)} with ${largeBytes / 1024} KB bodies. These ${figure(bytesPerSecond / 1e6)} MB/s of bodies are what load generator, primary, candidate and comparator can carry on the CPU that they share.`,
    `Clients got their answers in ${figure(load.p50Ms)} ms (p50) and ${figure(load.p99Ms)} ms (p99); the load generator itself was ${figure(load.latenessP99Ms)} ms late (p99). The mirror used ${percent(busy)} of its CPU.`,
  ].join(' ')
}

function ledgerSentence({ sent, candidate, comparator, ledger }: Counts): string {
  const reasons = Object.entries(ledger.skipped).map(([reason, count]) => `${reason} ${figure(count)}`)
  const skipped = reasons.length === 0 ? '0 skipped' : `${figure(skippedOf(ledger))} skipped (${reasons.join(', ')})`
  return `${figure(sent)} sent = ${figure(ledger.seen)} seen = ${figure(ledger.delivered)} delivered + ${skipped}; ${figure(candidate)} at the candidate, ${figure(comparator)} at the comparator`
}

function memorySentence({ bytes, standardError, overMs, medianBytes }: MemoryGrowth): string {
  const perHour = (value: number) => figure((value / MiB / overMs) * 60 * minuteMs)
  return `${figure(bytes / MiB)} MiB over the second half, standard error ${figure(standardError / MiB)}, at a median of ${figure(medianBytes / MiB)} MiB (${perHour(bytes)} ± ${perHour(standardError)} MiB an hour)`
}

function samplesTable(samples: readonly Sample[]): string {
  const last = samples.length - 1
  const rowCount = Math.min(rowsMax, samples.length)
  const shown = Array.from({ length: rowCount }, (_, i) => samples[Math.round((i * last) / Math.max(1, rowCount - 1))]!)
  const rows = shown.map(({ atMs, rssBytes, heapUsedBytes, handles, heldBytes, ledger }) => [
    (atMs / minuteMs).toFixed(1),
    figure(rssBytes / MiB),
    figure(heapUsedBytes / MiB),
    String(handles),
    figure(heldBytes / 1024),
    figure(ledger.seen),
    figure(ledger.delivered),
    figure(ledger.pending),
    figure(skippedOf(ledger)),
  ])
  const head = ['minute', 'memory, MiB', 'heap, MiB', 'handles', 'held, KiB', 'seen', 'delivered', 'pending', 'skipped']
  return markdownTable(head, rows)
}
