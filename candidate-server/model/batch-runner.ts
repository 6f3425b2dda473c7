import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { splitBatch, stackBatch } from '../batch/stack-batch.ts'
import type { RunResult } from '../instance/instance-process.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { TensorParts } from '../instance/wire-tensors.ts'
import type { InferenceStatistics } from './inference-statistics.ts'
import type { Waiting } from './instance-group.ts'
import { rowsOf } from './model-info.ts'
import type { Tensors } from './tensor.ts'

interface BatchRunnerOptions {
  model: string
  loaded: LoadedModel
  /** Of the whole model. */
  statistics: InferenceStatistics
  clock: Clock
  logger: Logger
}

/** Whether several requests may be answered by one run. */
export function mayShareRuns({ info: { batch }, quantization, mixesRows }: LoadedModel): boolean {
  // the ranges of the former are taken over the whole batch, so that neighbours would change an answer there, too
  const mixes = quantization === 'dynamic' || mixesRows
  return !mixes && (batch.kind === 'dynamic' || (batch.kind === 'fixed' && batch.size > 1))
}

/** What a model's requests may share, and how a batch of them is run and answered. */
export class BatchRunner {
  readonly #options: BatchRunnerOptions
  #batching: boolean

  constructor(options: BatchRunnerOptions) {
    this.#options = options
    this.#batching = mayShareRuns(options.loaded)
  }

  /** Whether requests share batches at all. */
  get batching(): boolean {
    return this.#batching
  }

  /** With whom a request may share one. Of inputs that bring different numbers of rows the most count. */
  grouping(inputs: Tensors): { key: string | null; rows: number } {
    const rows = rowsOf(inputs)
    if (!this.#batching || rows === undefined) {
      return { key: null, rows: rows ?? Math.max(1, ...Object.values(inputs).map(({ shape }) => shape[0] ?? 1)) }
    }
    const key = Object.entries(inputs)
      .map(([name, { type, shape }]) => `${name}:${type}:${shape.slice(1)}`)
      .sort()
      .join(';')
    return { key, rows }
  }

  /** Settles its requests, and returns those that have to be run once more. */
  async run(instance: PinnedInstance, batch: Waiting[]): Promise<Waiting[]> {
    const { clock, statistics } = this.#options
    const takenAt = clock.monotonic()
    const rows = batch.reduce((sum, request) => sum + request.rows, 0)
    const rowsToRun = this.#rowsToRun(batch, rows)
    const result = await this.#runOn(instance, batch, rowsToRun)
    if (result.kind === 'notRun') return whoStay(batch)
    const answer = result.kind === 'done' ? splitBatch(batch, result.outputs, rowsToRun) : undefined
    if (batch.length > 1 && (result.kind === 'failed' || (result.kind === 'done' && !answer))) {
      this.#separate(batch, result)
      return whoStay(batch)
    }
    const returnedAt = clock.monotonic()
    if (result.kind === 'done') {
      statistics.countBatch(rows, result.inferMs)
      batch[0]!.group.statistics.countBatch(rows, result.inferMs)
    }
    for (const [i, request] of batch.entries()) {
      if (result.kind === 'lost') request.settle({ kind: 'instanceLost', limit: result.limit })
      else if (result.kind === 'failed') request.settle(result)
      else {
        const { inferMs, waitedMs } = result
        const batchMs = Math.max(0, returnedAt - takenAt - waitedMs - inferMs)
        const timings = { queueMs: takenAt - request.arrivedAt + waitedMs, batchMs, inferMs }
        request.settle({ kind: 'answered', outputs: answer?.[i] ?? result.outputs, timings })
      }
    }
    return []
  }

  /** A batch that there is no memory for is its own loss, and not that of all models. */
  async #runOn(instance: PinnedInstance, batch: Waiting[], rowsToRun: number | undefined): Promise<RunResult> {
    const { model, logger } = this.#options
    let inputs: Record<string, TensorParts>
    try {
      inputs = stackBatch(batch, rowsToRun)
    } catch (error) {
      logger.error({ model, err: error }, 'a batch could not be put together')
      return { kind: 'failed', message: `its inputs could not be put together: ${(error as Error).message}` }
    }
    return instance.run(inputs, batch.length)
  }

  /**
   * `undefined` for a request that runs as it is. A model with a fixed batch gets the missing rows as zeros, also of a
   * request that runs alone; they are cut off again.
   */
  #rowsToRun(batch: Waiting[], rows: number): number | undefined {
    const { batch: dimension } = this.#options.loaded.info
    if (dimension.kind === 'fixed') return dimension.size
    return batch[0]!.key === null ? undefined : rows
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

/** A client that left while its request was in a batch has no use for another run. */
function whoStay(batch: Waiting[]): Waiting[] {
  for (const { asker, settle } of batch) if (asker.isGone) settle({ kind: 'clientGone' })
  return batch.filter(({ asker }) => !asker.isGone)
}
