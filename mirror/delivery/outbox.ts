import type { Logger } from '../../runtime/logger.ts'
import { bundleBytesMax, bundleDelayMs } from '../../vocabulary/observation.ts'
import type { Bytes, Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import { giveLargeBack } from '../capture/reused-memory.ts'
import { Backoff } from '../comparator-client/backoff.ts'
import type { ComparatorClient } from '../comparator-client/comparator-client.ts'
import { Outage } from '../comparator-client/outage.ts'
import type { Disk } from '../disk.ts'
import type { Entry } from '../ledger/entry.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { pause } from '../pause.ts'
import { until } from '../until.ts'
import { DiskQueue } from './disk-queue.ts'
import type { Spool } from './spool.ts'
import { bundleOf, type Item } from './spool-record.ts'

const deliveriesMax = 2
/** If more than this waits in memory, the comparator does not keep up and observations go to disk. */
const freshBytesMax: Bytes = 8 * 1024 * 1024
/** Nothing waits longer than this for a delivery or its answer before it goes to disk. */
const freshAgeMaxMs = 1000

type OutboxMode = 'direct' | 'spooling' | 'closing' | 'closed'

interface Fresh extends Item {
  since: MonotonicMs
}

interface OutboxOptions {
  comparator: ComparatorClient | undefined
  disk: Disk
  spool: Spool | undefined
  budget: ByteBudget
  ledger: Ledger
  logRejection: (validation: string, reason: string) => void
  logger: Logger
}

/**
 * Takes observations and brings each to its end in the ledger. Modes:
 *
 * - `direct`: bundles are delivered from memory, up to `deliveriesMax` at once.
 * - `spooling`: the comparator is away or slow. Everything goes to disk within `bundleDelayMs`. One delivery at a time
 *   is tried from there, oldest first, with backoff; once the disk is empty the mode is `direct` again. What a disk that
 *   fails or hangs does not take is held in memory as far as `capture.memoryMax` allows, delivered from there, and
 *   offered to the disk again (`disk-queue.ts`).
 * - `closing`: what is in memory is delivered or goes to disk.
 * - `closed`: new observations are shed.
 *
 * In `direct`, a SIGKILL loses what is in memory: observations that have waited for at most a second, and at most two
 * bundles that were sent at most a second ago. After a second without an answer a bundle goes to disk, and is sent
 * again under the same ids. In `spooling`, a SIGKILL loses the last `bundleDelayMs` and what a failing disk did not
 * take.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #backoff = new Backoff()
  readonly #abort = new AbortController()
  #mode: OutboxMode = 'direct'
  /** Observations in memory, oldest first. */
  #fresh: Fresh[] = []
  #freshBytes = 0
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  /** Something in memory is due but found no free delivery. */
  #isOverdue = false
  #deliveries = new Set<Promise<void>>()
  readonly #disk: DiskQueue | undefined
  #isDeliveringStranded = false
  #draining: Promise<void> | undefined
  readonly #outage = new Outage()

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#disk = options.spool && this.#queueTo(options.spool)
    if (options.spool?.isEmpty === false) this.#startSpooling()
  }

  get mode(): OutboxMode {
    return this.#mode
  }

  /** Whether the disk's last write or read failed, or does not end. */
  get isDiskFailing(): boolean {
    return this.#disk?.isFailing ?? false
  }

  /** Never throws and never blocks. */
  accept(observation: Buffer, entry: Entry): void {
    const { budget, comparator, ledger } = this.#options
    if (!comparator || this.#mode === 'closed' || !budget.tryTake(observation.length)) {
      ledger.skip(entry, comparator ? 'shed' : 'noComparator')
      return
    }
    this.#fresh.push({ observation, entry, since: performance.now() })
    this.#freshBytes += observation.length
    // not at once: an observation as large as a bundle has already taken enough of the event loop
    if (this.#freshBytes >= bundleBytesMax) this.#soon ??= setImmediate(() => this.#flush())
    else this.#timer ??= setTimeout(() => this.#flush(), bundleDelayMs)
  }

  /** Delivers what is in memory, or writes it to disk if `deadlineMs` has passed or the comparator is away. */
  async close(deadlineMs: number): Promise<void> {
    if (this.#disk?.isHanging) await this.#deliverAllStranded(this.#disk, deadlineMs)
    const wasDirect = this.#mode === 'direct'
    this.#mode = 'closing'
    clearTimeout(this.#timer)
    const timer = setTimeout(() => this.#abort.abort(), deadlineMs)
    if (wasDirect && this.#options.comparator) {
      while (this.#fresh.length > 0 && !this.#outage.isUnderWay) {
        await this.#deliverFresh(this.#takeBundle())
      }
      await Promise.all(this.#deliveries)
    }
    clearTimeout(timer)
    this.#abort.abort()
    this.#mode = 'closed'
    this.#disk?.add(this.#takeAll())
    // undelivered bundles go to disk too
    await Promise.all(this.#deliveries)
    await this.#draining
    await this.#disk?.close()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
    this.#timer = undefined
    this.#soon = undefined
    this.#isOverdue = false
    if (this.#mode === 'spooling') this.#disk!.add(this.#takeAll())
    if (this.#mode !== 'direct') return
    while (this.#fresh.length > 0 && this.#deliveries.size < deliveriesMax) {
      const delivery: Promise<void> = this.#deliverFresh(this.#takeBundle(), freshAgeMaxMs)
        .catch((error) => this.#options.logger.error({ err: error }, 'a delivery failed'))
        .finally(() => {
          this.#deliveries.delete(delivery)
          if (this.#isOverdue) this.#flush()
        })
      this.#deliveries.add(delivery)
    }
    const [oldest] = this.#fresh
    if (!oldest) return
    this.#isOverdue = true
    // this may also follow a pause of our own process, which says nothing about the comparator: that is rare, and the
    // disk returns the bundle at once
    const isLate = performance.now() - oldest.since > freshAgeMaxMs
    if (this.#freshBytes > freshBytesMax || isLate) this.#startSpooling()
    else this.#timer = setTimeout(() => this.#flush(), bundleDelayMs)
  }

  async #deliverFresh(bundle: Item[], withinMs?: Milliseconds): Promise<void> {
    const left = await this.#deliver(bundle, withinMs)
    this.#giveBack(bundle.slice(0, bundle.length - left.length))
    if (left.length === 0) return
    if (this.#mode === 'direct') this.#startSpooling()
    this.#disk!.add(left)
  }

  /** Makes one attempt. Returns what could not be delivered, the bundle's tail; the rest has ended in the ledger. */
  async #deliver(bundle: Item[], withinMs?: Milliseconds): Promise<Item[]> {
    const { comparator, ledger, logger } = this.#options
    const delivery = await comparator!.deliver(
      bundle.map((item) => item.observation),
      this.#abort.signal,
      withinMs,
    )
    switch (delivery.kind) {
      case 'received': {
        const rejected = new Map(delivery.receipt.rejected.map((rejection) => [rejection.index, rejection]))
        bundle.forEach(({ entry, observation }, i) => {
          giveLargeBack(observation)
          const rejection = rejected.get(i)
          if (rejection) this.#reject(entry, `${rejection.code}: ${rejection.message}`)
          else ledger.deliver(entry)
        })
        this.#backoff.reset()
        if (this.#outage.end()) logger.info('the comparator is back')
        return []
      }
      case 'refused': {
        if (bundle.length > 1) {
          const half = Math.ceil(bundle.length / 2)
          const left = await this.#deliver(bundle.slice(0, half), withinMs)
          if (left.length > 0) return [...left, ...bundle.slice(half)]
          return this.#deliver(bundle.slice(half), withinMs)
        }
        this.#reject(bundle[0]!.entry, delivery.reason)
        return []
      }
      case 'away': {
        // a delivery that we gave up as we stop says nothing new of an outage
        const isOurs = this.#abort.signal.aborted && this.#outage.isUnderWay
        if (!isOurs && this.#outage.add(delivery.reason)) {
          logger.warn({ reason: delivery.reason }, 'the comparator is away; observations go to disk')
        }
        return bundle
      }
    }
  }

  #reject(entry: Entry, reason: string): void {
    this.#options.logRejection(entry.validation, reason)
    this.#options.ledger.skip(entry, 'rejected')
  }

  #startSpooling(): void {
    if (this.#mode !== 'direct') return
    this.#mode = 'spooling'
    this.#disk!.add(this.#takeAll())
    this.#draining = this.#drainSpool().catch((error) => {
      this.#options.logger.error({ err: error }, 'emptying the spool failed')
    })
  }

  #queueTo(spool: Spool): DiskQueue {
    return new DiskQueue({
      disk: this.#options.disk,
      spool,
      logger: this.#options.logger,
      kept: (items) => this.#giveBack(items),
      opened: () => {
        if (!spool.isEmpty) this.#startSpooling()
      },
      shed: (items) => {
        for (const { entry } of items) this.#options.ledger.skip(entry, 'shed')
        this.#giveBack(items)
      },
    })
  }

  /** Runs until the spool is empty or the outbox closes. */
  async #drainSpool(): Promise<void> {
    const disk = this.#disk!
    while (!this.#abort.signal.aborted && this.#mode === 'spooling') {
      const bundle = await disk.oldest(this.#abort.signal)
      if (bundle) await this.#deliverFromDisk(bundle)
      else if (disk.isEmpty) {
        this.#mode = 'direct'
        return this.#flush()
      } else await this.#deliverStranded(disk.takeStranded())
    }
  }

  async #deliverFromDisk(bundle: Item[]): Promise<void> {
    let left = bundle
    while (left.length > 0 && !this.#abort.signal.aborted) {
      const failed = await this.#deliver(left)
      const ended = left.length - failed.length
      if (ended > 0) this.#disk!.acknowledge(ended)
      left = failed
      if (left.length > 0) await pause(this.#backoff.nextMs(), this.#abort.signal)
    }
  }

  async #deliverStranded(bundle: Item[]): Promise<void> {
    if (bundle.length === 0) return
    this.#isDeliveringStranded = true
    const left = await this.#deliver(bundle)
    this.#isDeliveringStranded = false
    this.#giveBack(bundle.slice(0, bundle.length - left.length))
    this.#disk!.putBack(left)
    if (left.length > 0) await pause(this.#backoff.nextMs(), this.#abort.signal)
  }

  /** Before a stop, which a disk that hangs may not survive; `#drainSpool` does it. */
  async #deliverAllStranded(disk: DiskQueue, deadlineMs: Milliseconds): Promise<void> {
    if (this.#mode === 'spooling') disk.add(this.#takeAll())
    const isAny = () => disk.isWaiting || this.#isDeliveringStranded
    await until(() => !isAny() || this.#outage.isUnderWay, deadlineMs)
  }

  #takeBundle(): Item[] {
    const bundle = bundleOf(this.#fresh)
    this.#fresh.splice(0, bundle.length)
    for (const { observation } of bundle) this.#freshBytes -= observation.length
    return bundle
  }

  #takeAll(): Item[] {
    const items = this.#fresh
    this.#fresh = []
    this.#freshBytes = 0
    return items
  }

  #giveBack(items: readonly Item[]): void {
    for (const { observation } of items) this.#options.budget.giveBack(observation.length)
  }
}
