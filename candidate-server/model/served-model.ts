/** One version of one model: its queues, its instances, and the way of a request between them. */
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { groupOf, sizeOf } from '../batch/dispatch.ts'
import type { DispatchConfig } from '../batch/dispatch-config.ts'
import { type BatchLimits, shadowRank } from '../batch/request-queue.ts'
import { badInput } from '../errors.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { Asker } from './asker.ts'
import { BatchRunner } from './batch-runner.ts'
import type { InferOutcome } from './infer-outcome.ts'
import type { InferenceStatistics } from './inference-statistics.ts'
import { createGroups, type Duty, dutiesOf, type InstanceGroup, type Waiting } from './instance-group.ts'
import type { Tensors } from './tensor.ts'

/** How long a model must have had no live request for shadows to be sent ahead, where live ones cannot overtake them. */
const liveQuietMs = 1_000

/** In Triton, too, 0 is the model's default level and 1 the highest, and here some have to be before and behind it. */
const defaultPriority = 100

/** How a request stands beside others. */
export interface Urgency {
  /** A mirrored request: all others go first. */
  shadow?: boolean
  /** From 1, which goes first; 0, or none, is `defaultPriority`. */
  priority?: number
  /** Shorter than the queue's own, which is the most. */
  timeoutMs?: Milliseconds | undefined
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
  /** Of one request. */
  rowsMax: number
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
  readonly #duties: Duty[]
  readonly #batchSizeMax: number
  readonly #runner: BatchRunner
  #liveAt = Number.NEGATIVE_INFINITY
  #stopping = false
  /** The drain is over. */
  #drained = false
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
    const limits = options.batch.map(({ sizeMax, delayMaxMs }) => ({
      sizeMax: batch.kind === 'fixed' ? batch.size : sizeMax,
      delayMaxMs,
    }))
    const { name: model, loaded, instances, statistics, dispatch, queue, clock, logger } = options
    this.#batchSizeMax = Math.max(...limits.map(({ sizeMax }) => sizeMax))
    this.#runner = new BatchRunner({ model, loaded, statistics, clock, logger })
    this.groups = createGroups(limits, instances, dispatch, queue.max, clock)
    this.#duties = dutiesOf(this.groups, dispatch)
  }

  get ready(): boolean {
    return !this.#stopping && this.groups.every(({ instances }) => instances.some(({ serving }) => serving))
  }
  get queued(): number {
    return this.groups.reduce((sum, { queue }) => sum + queue.length, 0)
  }
  get batching(): boolean {
    return this.#runner.batching
  }
  /** The rows that a batch may have at most, 1 where requests run alone. */
  get batchSizeMax(): number {
    return this.batching ? this.#batchSizeMax : 1
  }

  /** How long a request may wait before it is begun. */
  get waitMsMax(): Milliseconds {
    return this.#options.queue.timeoutMs
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
   * `inputs` are checked against the model's metadata. `asker` takes the request out of the queue when it leaves. Throws a 400
   * where there are too many rows, or no group takes inputs of that size.
   */
  async infer(inputs: Tensors, asker: Asker, urgency: Urgency = {}): Promise<InferOutcome> {
    const grouping = this.#runner.grouping(inputs)
    this.#checkRows(grouping.rows)
    const group = this.#groupFor(inputs)
    return new Promise((resolve) => {
      const { clock, queue } = this.#options
      const arrivedAt = clock.monotonic()
      if (!urgency.shadow) this.#liveAt = arrivedAt
      let isSettled = false
      const settle = (outcome: InferOutcome) => {
        if (isSettled) return
        isSettled = true
        asker.whenGone = undefined
        resolve(outcome)
        this.statistics.count(outcome)
        group.statistics.count(outcome)
      }
      const waiting: Waiting = {
        ...grouping,
        rank: urgency.shadow ? shadowRank : Math.min(urgency.priority || defaultPriority, shadowRank - 1),
        arrivedAt,
        expiresAt: arrivedAt + Math.min(queue.timeoutMs, urgency.timeoutMs ?? queue.timeoutMs),
        inputs,
        group,
        asker,
        settle,
      }
      const leave = () => group.queue.remove(waiting) && settle({ kind: 'clientGone' })
      if (asker.isGone) return settle({ kind: 'clientGone' })
      if (this.#stopping) return settle({ kind: 'stopping' })
      if (this.#isLost(group)) return settle({ kind: 'notReady' })
      const turnedAway = group.queue.add(waiting)
      turnedAway?.settle({ kind: 'queueFull' })
      if (turnedAway === waiting) return
      asker.whenGone = leave
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
    for (const group of this.groups) {
      for (const expired of group.queue.takeExpired(now)) expired.settle({ kind: 'expired' })
      if (this.#isLost(group)) for (const waiting of group.queue.takeAll()) waiting.settle({ kind: 'notReady' })
    }
    // first each to its own, so that no instance helps another group while its own has work
    for (const { instance, own } of this.#duties) {
      if (instance.mode === 'idle') this.#runNext(instance, own, own.queue.takeBatch(now))
    }
    for (const { instance, others } of this.#duties) {
      for (const group of others) {
        if (instance.mode === 'idle') this.#runNext(instance, group, group.queue.takeBatch(now))
      }
    }
    this.#sendAhead(now)
    this.#wakeLater(now)
    if (this.#inFlight === 0 && this.queued === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Takes no more requests, answers the accepted ones; those left at the deadline are answered `stopping`. */
  async drain(deadlineMs: Milliseconds): Promise<void> {
    this.#stopping = true
    const drained = new Promise<void>((resolve) => this.#idle.push(resolve))
    const deadline = setTimeout(() => {
      this.#drained = true
      this.#refuseAll()
      // their requests come back to the queue, and are refused there
      for (const instance of this.instances) instance.abandonRuns()
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

  /** Nobody is there for its requests: a restart is waited for, and a crash loop is not. */
  #isLost(group: InstanceGroup): boolean {
    return this.#duties.every(
      ({ instance, own, others }) => instance.isLost || (own !== group && !others.includes(group)),
    )
  }

  /** Rows of one request run together, and a run cannot be interrupted. */
  #checkRows(rows: number): void {
    const { rowsMax } = this.#options
    if (rows <= rowsMax || this.loaded.info.batch.kind !== 'dynamic') return
    throw badInput(`expected at most ${rowsMax} rows in a request, which is limits.rowsMax, got ${rows}; send several`)
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

  /** What is full gains nothing from waiting here, unless for another group's help, and an instance would wait for it. */
  #sendAhead(now: number): void {
    if ((this.#options.dispatch?.spillOver ?? 'none') !== 'none') return
    const shadows = now - this.#liveAt >= liveQuietMs ? 'too' : 'not'
    for (const instance of this.instances) if ((instance.takeBackAt ?? now) < now) instance.takeBack()
    const takers = this.#duties.filter(({ instance }) => instance.takesAhead)
    takers.sort((a, b) => a.instance.freeAt - b.instance.freeAt)
    for (const { instance, own } of takers) this.#runNext(instance, own, own.queue.takeFullBatch(shadows))
  }

  #runNext(instance: PinnedInstance, group: InstanceGroup, batch: Waiting[] | undefined): void {
    if (!batch) return
    this.#inFlight++
    if (this.groups[instance.placed.group] !== group) group.spilled += batch.length
    void this.#runner
      .run(instance, batch)
      .then((again) => {
        group.queue.putBack(again)
        if (this.#drained) this.#refuseAll()
      })
      .catch((error: Error) => {
        // a mistake of ours: it is this batch's loss, and not that of all models
        this.#options.logger.error({ model: this.name, err: error }, 'a batch could not be run')
        for (const { settle } of batch)
          settle({ kind: 'failed', message: `its batch could not be run: ${error.message}` })
      })
      .finally(() => {
        this.#inFlight--
        this.pump()
      })
  }

  #refuseAll(): void {
    for (const { queue } of this.groups) for (const waiting of queue.takeAll()) waiting.settle({ kind: 'stopping' })
  }

  /** A timer that fires too early only looks once more. */
  #wakeLater(now: number): void {
    const idle = this.#duties.filter(({ instance }) => instance.mode === 'idle')
    const wakeAts = [
      ...this.groups.map((group) =>
        group.queue.wakeAt(idle.some(({ own, others }) => own === group || others.includes(group))),
      ),
      ...this.instances.map(({ takeBackAt }) => takeBackAt),
    ]
    const at = Math.min(...wakeAts.map((wakeAt) => wakeAt ?? Number.POSITIVE_INFINITY))
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
}
