import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'
import type { DispatchConfig } from '../config/dispatch.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { BatchRunner } from './batch-runner.ts'
import { type Duty, dutiesOf, type InstanceGroup, type Waiting } from './instance-group.ts'

/**
 * How long a model must have had no live requests before shadows are sent ahead, since live ones cannot overtake them
 * there.
 */
const liveQuietMs = 1_000

interface DispatcherOptions {
  model: string
  groups: readonly InstanceGroup[]
  dispatch: DispatchConfig | undefined
  runner: BatchRunner
  clock: Clock
  logger: Logger
}

/** Decides which instance of a model takes which requests from the queues, and when. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  #duties: readonly Duty[]
  /** Those on duty, and those that are not any more but may have runs. */
  #instances: readonly PinnedInstance[]
  #liveAt: MonotonicMs = Number.NEGATIVE_INFINITY
  /** Set when the drain's deadline has passed. */
  #drained = false
  #pumping = false
  #inFlight = 0
  #idle: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #wakesAt: MonotonicMs = Number.POSITIVE_INFINITY

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#duties = dutiesOf(options.groups, options.dispatch)
    this.#instances = this.#duties.map(({ instance }) => instance)
  }

  /** Call when the groups' instances have changed. Those that have left get no more batches. */
  renewDuties(): void {
    const { groups, dispatch } = this.#options
    this.#duties = dutiesOf(groups, dispatch)
    const onDuty = this.#duties.map(({ instance }) => instance)
    const leaving = this.#instances.filter((instance) => instance.mode !== 'stopped' && !onDuty.includes(instance))
    this.#instances = [...onDuty, ...leaving]
    this.pump()
  }

  /** Keeps shadows from being sent ahead for a while. */
  liveCame(at: MonotonicMs): void {
    this.#liveAt = at
  }

  /** Runs once for all requests that the event loop reads in one go: they may share a batch and its message. */
  pumpSoon(): void {
    if (this.#pumping) return
    this.#pumping = true
    setImmediate(() => {
      this.#pumping = false
      this.pump()
    })
  }

  /** Hands batches to free instances. Called when a request arrives, an instance changes or a timer fires. */
  pump(): void {
    const now = this.#options.clock.monotonic()
    for (const group of this.#options.groups) {
      for (const expired of group.queue.takeExpired(now)) expired.settle({ kind: 'expired' })
      if (this.isLost(group)) for (const waiting of group.queue.takeAll()) waiting.settle({ kind: 'notReady' })
    }
    // own groups first, so that no instance helps another group while its own has work
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
    if (this.#inFlight === 0 && this.#isEmpty) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Answers the requests accepted so far; those left at the deadline are answered `stopping`. */
  async drain(deadlineMs: Milliseconds): Promise<void> {
    const drained = new Promise<void>((resolve) => this.#idle.push(resolve))
    const deadline = setTimeout(() => {
      this.#drained = true
      this.#refuseAll()
      // their requests return to the queue and are refused there
      for (const instance of this.#instances) instance.abandonRuns()
      for (const resolve of this.#idle.splice(0)) resolve()
    }, deadlineMs)
    this.pump()
    await drained
    clearTimeout(deadline)
    clearTimeout(this.#timer)
  }

  /** Whether no instance can serve the group. A restart is worth waiting for, a crash loop is not. */
  isLost(group: InstanceGroup): boolean {
    return this.#duties.every(
      ({ instance, own, others }) => instance.isLost || (own !== group && !others.includes(group)),
    )
  }

  /**
   * Sends full batches to busy instances in advance: a full batch gains nothing by waiting in the queue (unless another
   * group could help), and the instance saves idle time.
   */
  #sendAhead(now: number): void {
    if ((this.#options.dispatch?.spillOver ?? 'none') !== 'none') return
    const shadows = now - this.#liveAt >= liveQuietMs ? 'too' : 'not'
    for (const instance of this.#instances) if ((instance.takeBackAt ?? now) < now) instance.takeBack()
    const takers = this.#duties.filter(({ instance }) => instance.takesAhead)
    takers.sort((a, b) => a.instance.freeAt - b.instance.freeAt)
    for (const { instance, own } of takers) this.#runNext(instance, own, own.queue.takeFullBatch(shadows))
  }

  #runNext(instance: PinnedInstance, group: InstanceGroup, batch: Waiting[] | undefined): void {
    if (!batch) return
    this.#inFlight++
    if (this.#options.groups[instance.placed.group] !== group) group.spilled += batch.length
    void this.#options.runner
      .run(instance, batch)
      .then((again) => {
        group.queue.putBack(again)
        if (this.#drained) this.#refuseAll()
      })
      .catch((error: Error) => {
        // a bug: it must fail only this batch, not every model in the process
        this.#options.logger.error({ model: this.#options.model, err: error }, 'a batch could not be run')
        for (const { settle } of batch) {
          settle({ kind: 'failed', message: `its batch could not be run: ${error.message}` })
        }
      })
      .finally(() => {
        this.#inFlight--
        this.pump()
      })
  }

  get #isEmpty(): boolean {
    return this.#options.groups.every(({ queue }) => queue.length === 0)
  }

  #refuseAll(): void {
    for (const { queue } of this.#options.groups) {
      for (const waiting of queue.takeAll()) waiting.settle({ kind: 'stopping' })
    }
  }

  /** A timer that fires too early does no harm. */
  #wakeLater(now: number): void {
    const idle = this.#duties.filter(({ instance }) => instance.mode === 'idle')
    const wakeAts = [
      ...this.#options.groups.map((group) =>
        group.queue.wakeAt(idle.some(({ own, others }) => own === group || others.includes(group))),
      ),
      ...this.#instances.map(({ takeBackAt }) => takeBackAt),
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
