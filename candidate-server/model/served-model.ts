/** One version of one model: its queues, its instances, and the way of a request between them. */
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { groupName, groupOf, helps, sizeOf } from '../batch/dispatch.ts'
import type { DispatchConfig } from '../batch/dispatch-config.ts'
import { type BatchLimits, type Queued, RequestQueue, shadowRank } from '../batch/request-queue.ts'
import { splitBatch, stackBatch } from '../batch/stack-batch.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { PinnedInstance, RunResult } from '../instance/pinned-instance.ts'
import { badInput } from '../protocol/errors.ts'
import type { InferOutcome } from './infer-outcome.ts'
import { InferenceStatistics } from './inference-statistics.ts'
import { rowsOf } from './model-info.ts'
import type { Tensors } from './tensor.ts'

interface Waiting extends Queued {
  inputs: Tensors
  group: InstanceGroup
  settle: (outcome: InferOutcome) => void
}

/** How a request stands beside others. */
export interface Urgency {
  /** A mirrored request: all others go first. */
  shadow?: boolean
  /** Lower goes first; 0 where left out. */
  priority?: number
  /** Shorter than the queue's own, which is the most. */
  timeoutMs?: Milliseconds | undefined
}

/** Instances for inputs of some size; a model without `dispatch` has one group for all. */
export interface InstanceGroup {
  /** Its `upTo`, or `rest`. */
  name: string
  instances: PinnedInstance[]
  queue: RequestQueue<Waiting>
  statistics: InferenceStatistics
  /** Its requests that an instance of another group ran. */
  spilled: number
}

export interface ServedModelOptions {
  name: string
  version: string
  loaded: LoadedModel
  instances: PinnedInstance[]
  /** One for each group, and one where there are none. */
  batch: BatchLimits[]
  dispatch?: DispatchConfig | undefined
  queue: { max: number; timeoutMs: Milliseconds }
  statistics: InferenceStatistics
  clock: Clock
  logger: Logger
}

export class ServedModel {
  readonly name: string
  readonly version: string
  readonly loaded: LoadedModel
  readonly instances: PinnedInstance[]
  readonly statistics: InferenceStatistics
  readonly groups: InstanceGroup[]
  readonly #options: ServedModelOptions
  readonly #order: { instance: PinnedInstance; own: InstanceGroup; others: InstanceGroup[] }[]
  readonly #limits: BatchLimits[]
  #batching: boolean
  #stopping = false
  #pumping = false
  #inFlight = 0
  #holds = 0
  #idle: (() => void)[] = []
  #released: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #wakesAt = Number.POSITIVE_INFINITY

  constructor(options: ServedModelOptions) {
    this.name = options.name
    this.version = options.version
    this.loaded = options.loaded
    this.instances = options.instances
    this.statistics = options.statistics
    this.#options = options
    const { batch } = options.loaded.info
    this.#batching =
      (batch.kind === 'dynamic' && options.loaded.quantization !== 'dynamic') ||
      (batch.kind === 'fixed' && batch.size > 1)
    this.#limits = options.batch.map(({ sizeMax, delayMaxMs }) => ({
      sizeMax: batch.kind === 'fixed' ? batch.size : sizeMax,
      delayMaxMs,
    }))
    this.groups = this.#limits.map((limits, g) => ({
      name: groupName(options.dispatch?.groups[g] ?? {}),
      instances: options.instances.filter(({ placed }) => placed.group === g),
      queue: new RequestQueue<Waiting>(options.queue.max, limits),
      statistics: new InferenceStatistics(options.clock),
      spilled: 0,
    }))
    this.#order = options.instances.map((instance) => ({
      instance,
      own: this.groups[instance.placed.group]!,
      others: helps(options.dispatch?.spillOver ?? 'none', instance.placed.group, this.groups.length).map(
        (g) => this.groups[g]!,
      ),
    }))
  }

  get ready(): boolean {
    return !this.#stopping && this.groups.every(({ instances }) => instances.some(({ serving }) => serving))
  }
  get queued(): number {
    return this.groups.reduce((sum, { queue }) => sum + queue.length, 0)
  }
  get batching(): boolean {
    return this.#batching
  }
  /** The rows that a batch may have at most, 1 where requests run alone. */
  get batchSizeMax(): number {
    return this.#batching ? Math.max(...this.#limits.map(({ sizeMax }) => sizeMax)) : 1
  }

  /** While it is held it takes requests, also when another version has taken its place. Call what is returned once. */
  hold(): () => void {
    this.#holds++
    return () => {
      this.#holds--
      if (this.#holds === 0) for (const resolve of this.#released.splice(0)) resolve()
    }
  }

  /**
   * `inputs` are checked against the model's metadata. `signal` takes the request out of the queue. Throws a 400
   * where no group takes inputs of that size.
   */
  async infer(inputs: Tensors, signal: AbortSignal, urgency: Urgency = {}): Promise<InferOutcome> {
    const group = this.#groupFor(inputs)
    return new Promise((resolve) => {
      const { clock, queue } = this.#options
      const arrivedAt = clock.monotonic()
      const settle = (outcome: InferOutcome) => {
        signal.removeEventListener('abort', leave)
        this.statistics.count(outcome)
        group.statistics.count(outcome)
        resolve(outcome)
      }
      const waiting: Waiting = {
        ...this.#grouping(inputs),
        rank: urgency.shadow ? shadowRank : (urgency.priority ?? 0),
        arrivedAt,
        expiresAt: arrivedAt + Math.min(queue.timeoutMs, urgency.timeoutMs ?? queue.timeoutMs),
        inputs,
        group,
        settle,
      }
      const leave = () => group.queue.remove(waiting) && settle({ kind: 'clientGone' })
      if (signal.aborted) return settle({ kind: 'clientGone' })
      if (this.#stopping) return settle({ kind: 'stopping' })
      const turnedAway = group.queue.add(waiting)
      turnedAway?.settle({ kind: 'queueFull' })
      if (turnedAway === waiting) return
      signal.addEventListener('abort', leave)
      this.#pumpSoon()
    })
  }

  /** Once for all requests that the event loop has read in one go: they may share a batch, and its message. */
  #pumpSoon(): void {
    if (this.#pumping) return
    this.#pumping = true
    setImmediate(() => {
      this.#pumping = false
      this.pump()
    })
  }

  /** Hands batches to free instances; called when a request arrives, an instance changes or a timer fires. */
  pump(): void {
    const now = this.#options.clock.monotonic()
    for (const { queue } of this.groups) {
      for (const expired of queue.takeExpired(now)) expired.settle({ kind: 'expired' })
    }
    // first each to its own, so that no instance helps another group while its own has work
    for (const { instance, own } of this.#order) if (instance.mode === 'idle') this.#runNext(instance, own, now)
    for (const { instance, others } of this.#order) {
      for (const group of others) if (instance.mode === 'idle') this.#runNext(instance, group, now)
    }
    this.#wakeLater(now)
    if (this.#inFlight === 0 && this.queued === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Takes no more requests, answers the accepted ones; those left at the deadline are answered `stopping`. */
  async drain(deadlineMs: Milliseconds): Promise<void> {
    this.#stopping = true
    const drained = new Promise<void>((resolve) => this.#idle.push(resolve))
    const deadline = setTimeout(() => {
      for (const { queue } of this.groups) for (const waiting of queue.takeAll()) waiting.settle({ kind: 'stopping' })
      for (const resolve of this.#idle.splice(0)) resolve()
    }, deadlineMs)
    this.pump()
    await drained
    clearTimeout(deadline)
    clearTimeout(this.#timer)
  }

  /** For a version whose place another has taken: drains once whoever holds it has let go, or at the deadline. */
  async retire(deadlineMs: Milliseconds): Promise<void> {
    const startedAt = this.#options.clock.monotonic()
    if (this.#holds > 0) {
      let deadline: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#released.push(resolve)
        deadline = setTimeout(resolve, deadlineMs)
      })
      clearTimeout(deadline)
    }
    await this.drain(Math.max(0, deadlineMs - (this.#options.clock.monotonic() - startedAt)))
  }

  #groupFor(inputs: Tensors): InstanceGroup {
    const { dispatch } = this.#options
    if (!dispatch) return this.groups[0]!
    const size = sizeOf(dispatch, this.loaded.info, inputs)
    const group = groupOf(dispatch.groups, size)
    if (group !== undefined) return this.groups[group]!
    const most = dispatch.groups.at(-1)!.upTo
    throw badInput(
      dispatch.by === 'length'
        ? `the input is ${size} long; ${this.name} takes up to ${most}`
        : `a row has ${size} elements; ${this.name} takes up to ${most}`,
    )
  }

  #runNext(instance: PinnedInstance, group: InstanceGroup, now: number): void {
    const batch = group.queue.takeBatch(now)
    if (!batch) return
    this.#inFlight++
    if (this.groups[instance.placed.group] !== group) group.spilled += batch.length
    void this.#runBatch(instance, batch).finally(() => {
      this.#inFlight--
      this.pump()
    })
  }

  /** A timer that fires too early only looks once more. */
  #wakeLater(now: number): void {
    const free = this.instances.some(({ mode }) => mode === 'idle')
    const at = Math.min(...this.groups.map(({ queue }) => queue.wakeAt(free) ?? Number.POSITIVE_INFINITY))
    if (at >= this.#wakesAt) return
    clearTimeout(this.#timer)
    this.#wakesAt = at
    this.#timer = setTimeout(
      () => {
        this.#wakesAt = Number.POSITIVE_INFINITY
        this.pump()
      },
      Math.max(1, Math.ceil(at - now)),
    )
  }

  #grouping(inputs: Tensors): { key: string | null; rows: number } {
    const rows = rowsOf(inputs)
    if (!this.#batching || rows === undefined) return { key: null, rows: rows ?? 1 }
    const key = Object.entries(inputs)
      .map(([name, { type, shape }]) => `${name}:${type}:${shape.slice(1)}`)
      .sort()
      .join(';')
    return { key, rows }
  }

  async #runBatch(instance: PinnedInstance, batch: Waiting[]): Promise<void> {
    const { clock } = this.#options
    const takenAt = clock.monotonic()
    const rows = batch.reduce((sum, request) => sum + request.rows, 0)
    const rowsToRun = this.#rowsToRun(batch, rows)
    const result = await instance.run(stackBatch(batch, rowsToRun))
    const answer = result.kind === 'done' ? splitBatch(batch, result.outputs, rowsToRun) : undefined
    if (batch.length > 1 && (result.kind === 'failed' || (result.kind === 'done' && !answer))) {
      return this.#runAlone(batch, result)
    }
    const returnedAt = clock.monotonic()
    if (result.kind === 'done') {
      this.statistics.countBatch(rows, result.inferMs)
      batch[0]!.group.statistics.countBatch(rows, result.inferMs)
    }
    for (const [i, request] of batch.entries()) {
      if (result.kind === 'lost') request.settle({ kind: 'instanceLost' })
      else if (result.kind === 'failed') request.settle(result)
      else {
        const batchMs = Math.max(0, returnedAt - takenAt - result.inferMs)
        const timings = { queueMs: takenAt - request.arrivedAt, batchMs, inferMs: result.inferMs }
        request.settle({ kind: 'answered', outputs: answer?.[i] ?? result.outputs, timings })
      }
    }
  }

  /** A model with a fixed batch gets the missing rows as zeros; they are cut off again. */
  #rowsToRun(batch: Waiting[], rows: number): number {
    const { batch: dimension } = this.loaded.info
    return dimension.kind === 'fixed' && batch[0]!.key !== null ? dimension.size : rows
  }

  /** One bad request must not fail its neighbours, and a model that mixes rows must not answer in batches. */
  #runAlone(batch: Waiting[], result: RunResult): void {
    if (result.kind === 'done') {
      this.#batching = false
      this.#options.logger.warn(
        { model: this.name },
        'an output has not one row for each input row: batching is off for this model',
      )
    }
    for (const request of batch) request.key = null
    batch[0]!.group.queue.putBack(batch)
  }
}
