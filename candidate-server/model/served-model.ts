/** One version of a model: its instances, its queues, and the assignment of requests to instances. */
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { groupOf, sizeOf } from '../batch/dispatch.ts'
import { type BatchLimits, shadowRank } from '../batch/request-queue.ts'
import type { DispatchConfig } from '../config/dispatch.ts'
import { badInput } from '../errors.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { Tensors } from '../tensor/tensor.ts'
import { BatchRunner } from './batch-runner.ts'
import { Dispatcher } from './dispatcher.ts'
import { Holds } from './holds.ts'
import type { InferOutcome } from './infer-outcome.ts'
import { InferenceStatistics } from './inference-statistics.ts'
import { createGroups, type InstanceGroup, type Waiting } from './instance-group.ts'
import type { WaitingClient } from './waiting-client.ts'

/**
 * As in Triton, 0 means the default level and 1 is the highest; the default leaves room for levels before and after it.
 */
const defaultPriority = 100

/** A request's priority relative to others. */
interface Urgency {
  /** A mirrored request, which all others precede. */
  shadow?: boolean
  /** 1 goes first; 0 or `undefined` means `defaultPriority`. */
  priority?: number
  /** Maximum wait; it can only shorten the queue's own timeout. */
  timeoutMs?: Milliseconds | undefined
}

export interface ServedModelOptions {
  name: string
  version: string
  loaded: LoadedModel
  instances: PinnedInstance[]
  /** One per group, or a single one if there are no groups. */
  batch: BatchLimits[]
  dispatch?: DispatchConfig | undefined
  queue: { max: number; timeoutMs: Milliseconds }
  /** Maximum rows in one request. */
  rowsMax: number
  clock: Clock
  logger: Logger
}

export class ServedModel {
  readonly name: string
  readonly version: string
  readonly loaded: LoadedModel
  readonly statistics: InferenceStatistics
  readonly groups: InstanceGroup[]
  readonly #options: ServedModelOptions
  readonly #batchSizeMax: number
  readonly #runner: BatchRunner
  readonly #dispatcher: Dispatcher
  readonly #holds = new Holds()
  #instances: readonly PinnedInstance[]
  #stopping = false

  constructor(options: ServedModelOptions) {
    this.name = options.name
    this.version = options.version
    this.loaded = options.loaded
    this.#instances = options.instances
    this.statistics = new InferenceStatistics(options.clock)
    this.#options = options
    const { name: model, loaded, batch, dispatch, clock, logger } = options
    this.#batchSizeMax = Math.max(...batch.map(({ sizeMax }) => sizeMax))
    this.#runner = new BatchRunner({ model, loaded, statistics: this.statistics, clock, logger })
    this.groups = createGroups(options)
    this.#dispatcher = new Dispatcher({ model, groups: this.groups, dispatch, runner: this.#runner, clock, logger })
  }

  get instances(): readonly PinnedInstance[] {
    return this.#instances
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
  /** Maximum rows in a batch; 1 if requests run alone. */
  get batchSizeMax(): number {
    return this.batching ? this.#batchSizeMax : 1
  }

  /** How long a request may wait before it starts. */
  get waitMsMax(): Milliseconds {
    return this.#options.queue.timeoutMs
  }

  /**
   * Keeps the model accepting requests, even after another version has replaced it. Returns the function that releases
   * the hold.
   */
  hold(): () => void {
    return this.#holds.take()
  }

  /**
   * `inputs` must have been checked against the model's metadata. If `client` leaves, the request is taken out of the
   * queue. Throws a 400 if there are too many rows, or no group takes inputs of this size.
   */
  async infer(inputs: Tensors, client: WaitingClient, urgency: Urgency = {}): Promise<InferOutcome> {
    const grouping = this.#runner.grouping(inputs)
    this.#checkRows(grouping.rows)
    const group = this.#groupFor(inputs)
    return new Promise((resolve) => {
      const { clock, queue } = this.#options
      const arrivedAt = clock.monotonic()
      if (!urgency.shadow) this.#dispatcher.liveCame(arrivedAt)
      let isSettled = false
      const settle = (outcome: InferOutcome) => {
        if (isSettled) return
        isSettled = true
        client.whenGone = undefined
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
        client,
        settle,
      }
      const leave = () => group.queue.remove(waiting) && settle({ kind: 'clientGone' })
      if (client.isGone) return settle({ kind: 'clientGone' })
      if (this.#stopping) return settle({ kind: 'stopping' })
      if (this.#dispatcher.isLost(group)) return settle({ kind: 'notReady' })
      const turnedAway = group.queue.add(waiting)
      turnedAway?.settle({ kind: 'queueFull' })
      if (turnedAway === waiting) return
      client.whenGone = leave
      this.#dispatcher.pumpSoon()
    })
  }

  /** Gives the requests to other instances of the same model from now on. Those that are replaced keep their runs. */
  replaceInstances(instances: readonly PinnedInstance[]): void {
    this.#instances = instances
    for (const [g, group] of this.groups.entries()) {
      group.instances = instances.filter(({ placed }) => placed.group === g)
    }
    this.#dispatcher.renewDuties()
  }

  /** Looks for work for free instances; call when an instance changes. */
  pump(): void {
    this.#dispatcher.pump()
  }

  /**
   * Accepts no more requests and answers those already accepted; those left at the deadline are answered `stopping`.
   */
  drain(deadlineMs: Milliseconds): Promise<void> {
    this.#stopping = true
    return this.#dispatcher.drain(deadlineMs)
  }

  /** For a version that has been replaced: drains once all holds are released, or at the deadline. */
  async retire(deadlineMs: Milliseconds): Promise<void> {
    const { clock } = this.#options
    const endsAt = clock.monotonic() + deadlineMs
    await this.#holds.released(deadlineMs)
    await this.drain(Math.max(0, endsAt - clock.monotonic()))
  }

  /** The rows of one request run together, and a run cannot be interrupted. */
  #checkRows(rows: number): void {
    const { rowsMax } = this.#options
    if (rows <= rowsMax || this.loaded.info.batch.kind !== 'dynamic') return
    throw badInput(
      `expected at most ${rowsMax} rows in a request, which is limits.rowsMax, got ${rows}; send several, or raise it`,
    )
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
}
