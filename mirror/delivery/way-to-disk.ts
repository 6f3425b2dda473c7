import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { bundleOf, type Spool } from './spool.ts'
import type { Item } from './spool-record.ts'

/** After a failed write. Each try costs live traffic time, and on a full disk is in vain for hours. */
const tryAgainMs: Milliseconds = 1000

export interface WayToDiskOptions {
  spool: Spool
  logger: Logger
  /** They are on disk. */
  kept(items: readonly Item[]): void
  /** The spool is full, or the disk fails at the end. */
  shed(items: readonly Item[]): void
}

/**
 * What is on its way to the spool, oldest first, and the spool's calls, one after another. A bundle is written at a
 * time, so that neither the loop nor a reader waits for long. While the disk fails everything waits here, and the
 * oldest bundle is tried again every `tryAgainMs`.
 */
export class WayToDisk {
  readonly #options: WayToDiskOptions
  #waiting: Item[] = []
  #isWriting = false
  #isFailing = false
  #isClosing = false
  #tryAgain: NodeJS.Timeout | undefined
  #lastCall: Promise<void> = Promise.resolve()

  constructor(options: WayToDiskOptions) {
    this.#options = options
  }

  /** Whether the disk did not take what it was last given. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  /** Nothing on disk, nothing on its way. */
  get isEmpty(): boolean {
    return this.#options.spool.isEmpty && !this.#isWriting && this.#waiting.length === 0
  }

  add(items: readonly Item[]): void {
    for (const item of items) this.#waiting.push(item)
    if (!this.#tryAgain) this.#write()
  }

  /** What `takeStranded` gave and nobody else took. */
  putBack(items: readonly Item[]): void {
    this.#waiting = [...items, ...this.#waiting]
    if (!this.#tryAgain) this.#write()
  }

  /** A bundle of what a failing disk does not take, once there is nothing older on it. */
  takeStranded(): Item[] {
    if (!this.#isFailing || !this.#options.spool.isEmpty) return []
    return this.#takeBundle()
  }

  /** The oldest on disk; the same ones until `acknowledge`. */
  async oldest(): Promise<Item[] | undefined> {
    let bundle: Item[] | undefined
    await this.#inTurn(async () => {
      bundle = await this.#options.spool.oldest()
    })
    return bundle
  }

  acknowledge(count: number): Promise<void> {
    return this.#inTurn(() => this.#options.spool.acknowledge(count))
  }

  /** A last try; what the disk does not take is shed. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#tryAgain)
    this.#writeAgain()
    while (this.#isWriting) await this.#lastCall
    await this.#lastCall
  }

  #write(): void {
    if (this.#isWriting || this.#waiting.length === 0) return
    this.#isWriting = true
    this.#inTurn(async () => {
      const { spool, kept, shed } = this.#options
      const bundle = this.#takeBundle()
      const { kept: count, error } = await spool.append(bundle)
      this.#note(error)
      kept(bundle.slice(0, count))
      const left = bundle.slice(count)
      if (error === undefined) shed(left)
      else this.#waiting = [...left, ...this.#waiting]
    }).finally(() => {
      this.#isWriting = false
      if (!this.#isFailing) this.#write()
      else if (this.#isClosing) this.#options.shed(this.#waiting.splice(0))
      else this.#tryAgain = setTimeout(() => this.#writeAgain(), tryAgainMs)
    })
  }

  #writeAgain(): void {
    this.#tryAgain = undefined
    this.#write()
  }

  #takeBundle(): Item[] {
    return this.#waiting.splice(0, bundleOf(this.#waiting).length)
  }

  #note(error: unknown): void {
    const isFailing = error !== undefined
    if (isFailing === this.#isFailing) return
    this.#isFailing = isFailing
    const { logger } = this.#options
    if (isFailing) logger.error({ err: error }, 'the spool can not be written; memory holds what has room there')
    else logger.info('the spool can be written again')
  }

  #inTurn(call: () => Promise<void>): Promise<void> {
    this.#lastCall = this.#lastCall.then(call).catch((error) => {
      this.#options.logger.error({ err: error }, 'the spool failed')
    })
    return this.#lastCall
  }
}
