import { DirectoryLockedError } from '../../runtime/directory-lock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { bundleDelayMs } from '../../vocabulary/observation.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Disk } from '../disk.ts'
import { pause } from '../pause.ts'
import type { Spool } from './spool.ts'
import { bundleOf, type Item } from './spool-record.ts'

/** The pause after a failure. Each try costs live traffic time, and on a full disk fails for hours. */
const tryAgainMs: Milliseconds = 1000

/** How often it is looked for something to deliver while the disk hangs. */
const lookMs: Milliseconds = bundleDelayMs

const notWritten = 'the spool cannot be written; memory holds what it has room for'

const lost = 'observations are lost: they could be neither delivered nor kept'

/** `passing`: another process holds the spool and will soon release it, which is not the disk's fault. */
type Failure = 'none' | 'passing' | 'lasting'

function kindOf(error: unknown): Failure {
  if (error === undefined) return 'none'
  return error instanceof DirectoryLockedError && error.isPassing ? 'passing' : 'lasting'
}

interface DiskQueueOptions {
  disk: Disk
  spool: Spool
  logger: Logger
  /** The items are on disk. */
  kept(items: readonly Item[]): void
  /** Observations may be available that could not be read before. */
  opened(): void
  /** The spool is full, or the disk failed at the last try. */
  shed(items: readonly Item[]): void
}

/**
 * The queue to the spool, oldest first, and the spool's only caller once it is open. It writes one bundle at a time, so
 * that neither the event loop nor a reader waits for long. What an earlier process left is read one segment at a time,
 * with writes between, before anything is returned.
 *
 * While the disk fails, everything waits here and every `tryAgainMs` the oldest bundle is tried again, or a probe if
 * the comparator has taken all of them meanwhile. Failed reads are retried likewise, including those of what an earlier
 * process left.
 *
 * While the disk hangs (`disk.ts`), all that waits is handed out for delivery, whatever older there may be on disk.
 */
export class DiskQueue {
  readonly #options: DiskQueueOptions
  #waiting: Item[] = []
  #isWriting = false
  #failure: Failure = 'none'
  #isUnreadable = false
  #reading: Promise<void> | undefined
  #isClosing = false
  /** Observations shed since the close began. */
  #lost = 0
  #tryAgain: NodeJS.Timeout | undefined
  #openAgain: NodeJS.Timeout | undefined
  #lastCall: Promise<void> = Promise.resolve()

  constructor(options: DiskQueueOptions) {
    this.#options = options
    if (!options.spool.isSound) this.#openLater()
  }

  /** Whether the disk's last write or read failed, or does not end. */
  get isFailing(): boolean {
    return this.isHanging || this.#isNotTaking || this.#isUnreadable || !this.#options.spool.isSound
  }

  get isHanging(): boolean {
    return this.#options.disk.isHanging
  }

  /** Whether anything waits to be written, apart from what is being written. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Nothing is on disk, being written or waiting to be written. */
  get isEmpty(): boolean {
    return this.#options.spool.isEmpty && !this.#isWriting && this.#waiting.length === 0
  }

  add(items: readonly Item[]): void {
    for (const item of items) this.#waiting.push(item)
    if (!this.#tryAgain) this.#write()
  }

  /** Puts back what `takeStranded` returned and nobody took. */
  putBack(items: readonly Item[]): void {
    this.#waiting = [...items, ...this.#waiting]
    if (!this.#tryAgain) this.#write()
  }

  /** A bundle that the disk does not take: of one that hangs, at once; of one that fails, once nothing older is on it. */
  takeStranded(): Item[] {
    const isStranded = this.isHanging || (this.#isNotTaking && this.#options.spool.isEmpty)
    return isStranded ? this.#takeBundle() : []
  }

  /**
   * The oldest observations on disk; the same ones until `acknowledge`. Undefined, after a pause, if they can't be
   * read; also if the disk hangs, or if `signal` aborts while older segments are still to be read.
   */
  async oldest(signal: AbortSignal): Promise<Item[] | undefined> {
    const { disk } = this.#options
    if (disk.isHanging) {
      if (!this.isWaiting) await pause(lookMs, signal)
      return undefined
    }
    this.#reading ??= this.#readLeft(signal).finally(() => {
      this.#reading = undefined
    })
    await disk.unlessHanging(this.#reading)
    if (signal.aborted || disk.isHanging) return undefined
    let bundle: Item[] | undefined
    const read = this.#inTurn(async () => {
      try {
        bundle = await this.#options.spool.oldest()
        this.#noteRead(undefined)
      } catch (error) {
        this.#noteRead(error)
      }
    })
    await disk.unlessHanging(read)
    if (this.#isUnreadable) await pause(tryAgainMs, signal)
    return bundle
  }

  /** Not waited for, because the disk may hang; `oldest` comes after it all the same. */
  acknowledge(count: number): void {
    this.#inTurn(() => this.#options.spool.acknowledge(count))
  }

  /**
   * Tries one last time; what the disk does not take is shed, and the log says how much. Of a call that hangs nobody
   * knows whether it wrote its bundle, which therefore stays pending.
   */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#tryAgain)
    clearTimeout(this.#openAgain)
    this.#writeAgain()
    const { disk } = this.#options
    while (this.#isWriting && !disk.isHanging) await disk.unlessHanging(this.#lastCall)
    await disk.unlessHanging(this.#lastCall)
    if (disk.isHanging) this.#shed(this.#waiting.splice(0))
    if (this.#lost > 0) this.#options.logger.error({ observations: this.#lost }, lost)
  }

  #write(): void {
    if (this.#isWriting || this.#waiting.length === 0) return
    this.#isWriting = true
    this.#inTurn(async () => {
      const { spool, kept } = this.#options
      const bundle = this.#takeBundle()
      const { kept: count, error } = await spool.append(bundle)
      this.#note(error)
      kept(bundle.slice(0, count))
      const left = bundle.slice(count)
      if (error === undefined) this.#shed(left)
      else this.#waiting = [...left, ...this.#waiting]
    }).finally(() => {
      this.#isWriting = false
      if (!this.#isNotTaking) this.#write()
      else if (this.#isClosing) this.#shed(this.#waiting.splice(0))
      else this.#tryLater()
    })
  }

  #shed(items: readonly Item[]): void {
    if (this.#isClosing) this.#lost += items.length
    this.#options.shed(items)
  }

  #writeAgain(): void {
    this.#tryAgain = undefined
    if (this.#waiting.length > 0) this.#write()
    else if (this.#isNotTaking && !this.#isClosing) this.#probe()
  }

  /** The bundles that failed were delivered meanwhile, so only a probe can tell that the disk has room again. */
  #probe(): void {
    this.#inTurn(async () => {
      await this.#options.spool.probe().then(
        () => this.#note(undefined),
        (error) => this.#note(error),
      )
    }).then(() => {
      // otherwise a write that came meanwhile retries
      if (this.#isNotTaking && !this.#isWriting && !this.#isClosing) this.#tryLater()
    })
  }

  #tryLater(): void {
    this.#tryAgain = setTimeout(() => this.#writeAgain(), tryAgainMs)
  }

  /** Reads everything before anything is returned: only then is it known how much there is of each validation. */
  async #readLeft(signal: AbortSignal): Promise<void> {
    const { spool, logger } = this.#options
    if (!spool.hasUnread) return
    while (spool.hasUnread && !signal.aborted) await this.#inTurn(() => this.#readNext())
    if (!signal.aborted) logger.info({ observations: Object.fromEntries(spool.counts()) }, 'the spool was read')
  }

  async #readNext(): Promise<void> {
    const { spool, logger } = this.#options
    const wasSound = spool.isSound
    try {
      await spool.readNext()
    } catch (error) {
      if (wasSound) logger.error({ err: error }, 'part of the spool cannot be read; it stays and is tried again')
      this.#openLater()
    }
  }

  #openLater(afterMs = tryAgainMs): void {
    this.#openAgain ??= setTimeout(() => {
      this.#openAgain = undefined
      this.#inTurn(async () => {
        const { spool, opened, logger } = this.#options
        const isBetter = await spool.open().then(
          () => true,
          () => false,
        )
        if (this.#isClosing) return
        if (!spool.isSound) this.#openLater(isBetter ? 0 : tryAgainMs)
        else logger.info('the spool is open')
        opened()
      })
    }, afterMs)
  }

  #takeBundle(): Item[] {
    return this.#waiting.splice(0, bundleOf(this.#waiting).length)
  }

  get #isNotTaking(): boolean {
    return this.#failure !== 'none'
  }

  #note(error: unknown): void {
    const failure = kindOf(error)
    if (failure === this.#failure) return
    this.#failure = failure
    const { logger } = this.#options
    if (failure === 'none') logger.info('the spool can be written again')
    else if (failure === 'passing') logger.warn({ reason: (error as Error).message }, notWritten)
    else logger.error({ err: error }, notWritten)
  }

  #noteRead(error: unknown): void {
    const isUnreadable = error !== undefined
    if (isUnreadable === this.#isUnreadable) return
    this.#isUnreadable = isUnreadable
    const { logger } = this.#options
    if (isUnreadable) logger.error({ err: error }, 'the spool cannot be read; its contents stay and are tried again')
    else logger.info('the spool can be read again')
  }

  #inTurn(call: () => Promise<void>): Promise<void> {
    this.#lastCall = this.#options.disk.inTurn(call).catch((error) => {
      this.#options.logger.error({ err: error }, 'the spool failed')
    })
    return this.#lastCall
  }
}
