import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { splitBatch, stackBatch } from '../batch/stack-batch.ts'
import type { RunResult } from '../instance/instance-process.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { TensorParts } from '../instance/wire-tensors.ts'
import { rowsOf } from '../tensor/model-info.ts'
import type { Tensors } from '../tensor/tensor.ts'
import type { InferenceStatistics } from './inference-statistics.ts'
import type { Waiting } from './instance-group.ts'

interface BatchRunnerOptions {
  model: string
  loaded: LoadedModel
  /** Statistics of the whole model. */
  statistics: InferenceStatistics
  clock: Clock
  logger: Logger
}

/** Whether one run may answer several requests. */
export function mayShareRuns({ info: { batch }, quantization, mixesRows }: LoadedModel): boolean {
  // dynamic quantization computes its ranges over the whole batch, so neighbours would change an answer there too
  const mixes = quantization === 'dynamic' || mixesRows
  return !mixes && (batch.kind === 'dynamic' || (batch.kind === 'fixed' && batch.size > 1))
}

/** Decides which requests may share a batch, and runs and answers batches. */
export class BatchRunner {
  readonly #options: BatchRunnerOptions
  #batching: boolean

  constructor(options: BatchRunnerOptions) {
    this.#options = options
    this.#batching = mayShareRuns(options.loaded)
  }

  /** Whether requests may share batches at all. */
  get batching(): boolean {
    return this.#batching
  }

  /** Requests with the same key may share a batch. If inputs have different numbers of rows, `rows` is the largest. */
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

  /** Settles the batch's requests, and returns those that have to be run again. */
  async run(instance: PinnedInstance, batch: Waiting[]): Promise<Waiting[]> {
    const { clock, statistics } = this.#options
    const takenAt = clock.monotonic()
    const rows = batch.reduce((sum, request) => sum + request.rows, 0)
    const rowsToRun = this.#rowsToRun(batch, rows)
    const result = await this.#runOn(instance, batch, rowsToRun)
    if (result.kind === 'notRun') return settleDeparted(batch)
    const answer = result.kind === 'done' ? splitBatch(batch, result.outputs, rowsToRun) : undefined
    if (batch.length > 1 && (result.kind === 'failed' || (result.kind === 'done' && !answer))) {
      this.#separate(batch, result)
      return settleDeparted(batch)
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

  /** Running out of memory for a batch fails that batch alone, not every model in the process. */
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
   * `undefined` if the request runs as it is. For a model with a fixed batch, missing rows are filled with zeros, even
   * for a request that runs alone, and removed from the outputs.
   */
  #rowsToRun(batch: Waiting[], rows: number): number | undefined {
    const { batch: dimension } = this.#options.loaded.info
    if (dimension.kind === 'fixed') return dimension.size
    return batch[0]!.key === null ? undefined : rows
  }

  /**
   * Makes each request run alone: one bad request must not fail the others, and a model that mixes rows must not be
   * batched.
   */
  #separate(batch: Waiting[], result: RunResult): void {
    if (result.kind === 'done') {
      this.#batching = false
      this.#options.logger.warn(
        { model: this.#options.model },
        'an output does not have one row for each input row: batching is off for this model',
      )
    }
    for (const request of batch) request.key = null
  }
}

/** Settles requests whose clients left while they were in a batch, and returns the others. */
function settleDeparted(batch: Waiting[]): Waiting[] {
  for (const { client, settle } of batch) if (client.isGone) settle({ kind: 'clientGone' })
  return batch.filter(({ client }) => !client.isGone)
}
