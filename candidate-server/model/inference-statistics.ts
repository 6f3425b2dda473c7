import type { Clock } from '../../runtime/clock.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { type DropReason, dropReasons, type InferOutcome } from './infer-outcome.ts'

interface CountAndTime {
  count: number
  ms: Milliseconds
}

/** Larger batches are counted under the next power of two, to keep the number of distinct sizes small. */
const batchSizesMax = 1024

/** One model's counts since the start. */
export class InferenceStatistics {
  readonly #clock: Clock
  readonly dropped = Object.fromEntries(dropReasons.map((reason) => [reason, 0])) as Record<DropReason, number>
  readonly success: CountAndTime = { count: 0, ms: 0 }
  readonly queue: CountAndTime = { count: 0, ms: 0 }
  readonly batch: CountAndTime = { count: 0, ms: 0 }
  readonly infer: CountAndTime = { count: 0, ms: 0 }
  failed = 0
  readonly batches = new Map<number, CountAndTime>()
  executions = 0
  rows = 0
  lastAt: EpochMs = 0
  /** Called with every outcome, for the metrics. */
  onOutcome: (outcome: InferOutcome) => void = () => {}
  onBatch: (rows: number, inferMs: Milliseconds) => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(outcome: InferOutcome): void {
    this.lastAt = this.#clock.now()
    if (outcome.kind === 'answered') {
      const { queueMs, batchMs, inferMs } = outcome.timings
      add(this.success, queueMs + batchMs + inferMs)
      add(this.queue, queueMs)
      add(this.batch, batchMs)
      add(this.infer, inferMs)
    } else if (outcome.kind === 'failed') this.failed++
    else this.dropped[outcome.kind]++
    this.onOutcome(outcome)
  }

  countBatch(rows: number, inferMs: Milliseconds): void {
    this.executions++
    this.rows += rows
    const size = rows <= batchSizesMax ? rows : 2 ** Math.ceil(Math.log2(rows))
    const ofSize = this.batches.get(size) ?? { count: 0, ms: 0 }
    add(ofSize, inferMs)
    this.batches.set(size, ofSize)
    this.onBatch(rows, inferMs)
  }
}

function add(sum: CountAndTime, ms: Milliseconds): void {
  sum.count++
  sum.ms += ms
}
