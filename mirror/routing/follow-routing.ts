import { Value } from 'typebox/value'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { RoutingDocument } from '../../vocabulary/routing.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { Backoff } from '../comparator-client/backoff.ts'
import type { ComparatorClient } from '../comparator-client/comparator-client.ts'
import { Outage } from '../comparator-client/outage.ts'
import type { Disk } from '../disk.ts'
import { pause } from '../pause.ts'
import { replaceJsonFile } from '../replace-file.ts'

const longPollMs = 25_000
/** The pause after a comparator answers at once without news: a proxy may strip its ETags. */
const pollAtMostEveryMs = 1000
/** The pause before another try to write to disk. */
const storeAgainMs = 1000
const cannotFollow = 'the routing cannot be followed: the last known good stays, and rollbacks do not arrive'

export interface FollowedRouting {
  document: RoutingDocument
  /** `config`: only the primary is live. `disk`: the last known good. */
  source: 'config' | 'disk' | 'comparator'
  since: EpochMs
}

interface RoutingFollowerOptions {
  comparator: ComparatorClient
  disk: Disk
  file: string
  /** The text of `file` as an earlier process left it, or why it cannot be read. */
  lastKnown: string | NodeJS.ErrnoException
  /** Until it returns true another process may still write to `file`. */
  isDiskOurs: () => boolean
  clock: Clock
  logger: Logger
}

/**
 * Follows who is live: at the start the primary alone or the last known good from disk, then what the comparator says.
 * An invalid document changes nothing and is counted. A failed write to disk is retried every `storeAgainMs`: otherwise
 * a restart without the comparator would bring back an older routing, such as a candidate that was rolled back.
 */
export class RoutingFollower {
  readonly #options: RoutingFollowerOptions
  #current: FollowedRouting
  #etag: string | undefined
  #malformed = 0
  /** In force but not on disk yet. */
  #unstored: RoutingDocument | undefined
  #isDiskFailing = false
  /** Tries to write that are not over. */
  #storing = 0

  constructor(options: RoutingFollowerOptions) {
    this.#options = options
    this.#current = this.#parsed(options.lastKnown) ?? allPrimary(options.clock)
  }

  get current(): FollowedRouting {
    return this.#current
  }

  get malformed(): number {
    return this.#malformed
  }

  /** Whether a restart would begin with a routing other than the one in force. */
  get isUnstored(): boolean {
    return this.#unstored !== undefined
  }

  /** Runs until `signal` aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#poll(signal), this.#storeAgain(signal)])
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { comparator, clock, logger } = this.#options
    const backoff = new Backoff()
    const outage = new Outage()
    let failures = 0
    while (!signal.aborted) {
      const askedAt = clock.monotonic()
      const before = this.#current
      // after a failure no long poll, which would only tell at its end that the comparator is back
      const answer = await comparator.routing(this.#etag, failures === 0 ? longPollMs : 0, signal)
      if (signal.aborted) return
      if (answer.kind === 'away') {
        // a single failure is a long poll broken by something in between
        if (++failures >= 2 && outage.add(answer.reason)) logger.warn({ reason: answer.reason }, cannotFollow)
        await pause(backoff.nextMs(), signal)
        continue
      }
      if (outage.end()) logger.info('the routing can be followed again')
      failures = 0
      const isGood = answer.kind === 'unchanged' || this.#take(answer.document)
      if (answer.kind === 'changed' && isGood) this.#etag = answer.etag
      if (!isGood) {
        await pause(backoff.nextMs(), signal)
        continue
      }
      backoff.reset()
      const wasQuick = clock.monotonic() - askedAt < pollAtMostEveryMs
      if (this.#current === before && wasQuick) await pause(pollAtMostEveryMs, signal)
    }
  }

  /** Returns whether it was a routing document. */
  #take(document: unknown): boolean {
    const { clock, logger } = this.#options
    if (!Value.Check(RoutingDocument, document)) {
      this.#malformed++
      logger.error('the comparator sent an invalid routing document; the last known good stays')
      return false
    }
    const before = this.#current
    const isKnown = before.document.version === document.version && before.document.updatedAt === document.updatedAt
    if (before.source === 'comparator' && isKnown) return true
    if (document.version < before.document.version) {
      const versions = { before: before.document.version, now: document.version }
      logger.warn(versions, 'the routing went back to a lower version: the comparator started afresh')
    }
    this.#current = followed(document, 'comparator', clock)
    logger.info({ version: document.version, validations: document.validations }, 'routing')
    this.#unstored = document
    this.#store()
    return true
  }

  #parsed(lastKnown: string | NodeJS.ErrnoException): FollowedRouting | undefined {
    const { file, clock, logger } = this.#options
    try {
      if (typeof lastKnown !== 'string') throw lastKnown
      const document: unknown = JSON.parse(lastKnown)
      if (Value.Check(RoutingDocument, document)) return followed(document, 'disk', clock)
      logger.error({ file }, 'the last known good routing is unreadable; the primary is live')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        logger.error({ err: error, file }, 'the last known good routing is unreadable')
      }
    }
    return undefined
  }

  async #storeAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(storeAgainMs, signal)
      if (this.isUnstored && this.#storing === 0) this.#store()
    }
  }

  /** Not awaited: a hanging disk must not delay the next document, which may be a rollback. */
  #store(): void {
    this.#storing++
    this.#options.disk
      .inTurn(() => this.#tryToStore())
      .finally(() => {
        this.#storing--
      })
  }

  async #tryToStore(): Promise<void> {
    const { file, isDiskOurs, logger } = this.#options
    const document = this.#unstored
    if (!document || !isDiskOurs()) return
    try {
      await replaceJsonFile(file, document)
      if (this.#unstored === document) this.#unstored = undefined
      if (this.#isDiskFailing) logger.info({ file }, 'the routing is kept on disk again')
      this.#isDiskFailing = false
    } catch (error) {
      if (!this.#isDiskFailing) logger.error({ err: error, file }, 'the routing could not be kept on disk')
      this.#isDiskFailing = true
    }
  }
}

export const allPrimary = (clock: Clock): FollowedRouting => {
  const updatedAt = new Date(clock.now()).toISOString()
  return followed({ version: 0, updatedAt, validations: {} }, 'config', clock)
}

function followed(document: RoutingDocument, source: FollowedRouting['source'], clock: Clock): FollowedRouting {
  // without what every object inherits: a validation may be called `constructor`
  const validations = Object.assign(Object.create(null), document.validations)
  return { document: { ...document, validations }, source, since: clock.now() }
}
