import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { splitBatch, stackBatch } from '../batch/stack-batch.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { PinnedInstance, RunResult } from '../instance/pinned-instance.ts'
import type { InferenceStatistics } from './inference-statistics.ts'
import type { Waiting } from './instance-group.ts'
import { rowsOf } from './model-info.ts'
import type { Tensors } from './tensor.ts'

export interface BatchRunnerOptions {
  model: string
  loaded: LoadedModel
  /** Of the whole model. */
  statistics: InferenceStatistics
  clock: Clock
  logger: Logger
}

/** What a model's requests may share, and how a batch of them is run and answered. */
export class BatchRunner {
  readonly #options: BatchRunnerOptions
  #batching: boolean

  constructor(options: BatchRunnerOptions) {
    this.#options = options
    const { info, quantization } = options.loaded
    const isDynamic = info.batch.kind === 'dynamic' && quantization !== 'dynamic'
    this.#batching = isDynamic || (info.batch.kind === 'fixed' && info.batch.size > 1)
  }

  /** Whether requests share batches at all. */
  get batching(): boolean {
    return this.#batching
  }

  /** With whom a request may share one. */
  grouping(inputs: Tensors): { key: string | null; rows: number } {
    const rows = rowsOf(inputs)
    if (!this.#batching || rows === undefined) return { key: null, rows: rows ?? 1 }
    const key = Object.entries(inputs)
      .map(([name, { type, shape }]) => `${name}:${type}:${shape.slice(1)}`)
      .sort()
      .join(';')
    return { key, rows }
  }

  /** Settles its requests, or returns them where they have to be run once more. */
  async run(instance: PinnedInstance, batch: Waiting[]): Promise<'settled' | 'again'> {
    const { clock, statistics } = this.#options
    const takenAt = clock.monotonic()
    const rows = batch.reduce((sum, request) => sum + request.rows, 0)
    const rowsToRun = this.#rowsToRun(batch, rows)
    const result = await instance.run(stackBatch(batch, rowsToRun))
    if (result.kind === 'notRun') return 'again'
    const answer = result.kind === 'done' ? splitBatch(batch, result.outputs, rowsToRun) : undefined
    if (batch.length > 1 && (result.kind === 'failed' || (result.kind === 'done' && !answer))) {
      this.#separate(batch, result)
      return 'again'
    }
    const returnedAt = clock.monotonic()
    if (result.kind === 'done') {
      statistics.countBatch(rows, result.inferMs)
      batch[0]!.group.statistics.countBatch(rows, result.inferMs)
    }
    for (const [i, request] of batch.entries()) {
      if (result.kind === 'lost') request.settle({ kind: 'instanceLost' })
      else if (result.kind === 'failed') request.settle(result)
      else {
        const { inferMs, waitedMs } = result
        const batchMs = Math.max(0, returnedAt - takenAt - waitedMs - inferMs)
        const timings = { queueMs: takenAt - request.arrivedAt + waitedMs, batchMs, inferMs }
        request.settle({ kind: 'answered', outputs: answer?.[i] ?? result.outputs, timings })
      }
    }
    return 'settled'
  }

  /** A model with a fixed batch gets the missing rows as zeros; they are cut off again. */
  #rowsToRun(batch: Waiting[], rows: number): number {
    const { batch: dimension } = this.#options.loaded.info
    return dimension.kind === 'fixed' && batch[0]!.key !== null ? dimension.size : rows
  }

  /** One bad request must not fail its neighbours, and a model that mixes rows must not answer in batches. */
  #separate(batch: Waiting[], result: RunResult): void {
    if (result.kind === 'done') {
      this.#batching = false
      this.#options.logger.warn(
        { model: this.#options.model },
        'an output has not one row for each input row: batching is off for this model',
      )
    }
    for (const request of batch) request.key = null
  }
}
