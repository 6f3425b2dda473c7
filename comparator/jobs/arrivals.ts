import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { ArrivingView } from '../../vocabulary/api/arriving.ts'
import { heartbeatMs } from '../../vocabulary/report-pace.ts'
import type { ValidationState } from '../../vocabulary/routing.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { Db } from '../store/database/open-database.ts'
import { listArrivals, saveArrivals } from '../store/intake/arrivals.ts'

/** A mirror counts as gone after three missed heartbeats. */
const mirrorGoneAfterMs: Milliseconds = 3 * heartbeatMs
/** States in which traffic is expected; not of a validation that was decided against. */
const expecting: readonly ValidationState[] = ['observing', 'rollingOut', 'promoted']

interface Arrival {
  quietAfterMs: Milliseconds
  state: ValidationState
  seenAt: EpochMs | undefined
  mirror: { at: EpochMs; route: string } | undefined
  /** Whether it is yet to be written to the database, where other comparators read it. */
  isUnsaved: boolean
  wasQuiet: boolean
}

/**
 * Notices validations that are configured but quiet: for `quietAfter`, counted from the start or the last arrival, no
 * observation and no mirror's count of exchanges arrived. Arrivals are noted in memory, at no cost to a bundle; `sync`
 * exchanges them with the other comparators on the database, and logs where a silence begins or ends.
 */
export class Arrivals {
  readonly #arrivals: ReadonlyMap<string, Arrival>
  readonly #startedAt: EpochMs
  readonly #clock: Clock
  readonly #logger: Logger

  constructor(
    validations: readonly { name: string; config: { quietAfter: Milliseconds } }[],
    clock: Clock,
    logger: Logger,
  ) {
    const nothing = { seenAt: undefined, mirror: undefined, isUnsaved: false, wasQuiet: false }
    this.#arrivals = new Map(
      validations.map(({ name, config }) => [
        name,
        { ...nothing, state: 'observing', quietAfterMs: config.quietAfter } as const,
      ]),
    )
    this.#startedAt = clock.now()
    this.#clock = clock
    this.#logger = logger
  }

  /** Notes an exchange, observed or counted by a mirror. */
  noteExchange(validation: string): void {
    const arrival = this.#arrivals.get(validation)
    if (arrival) Object.assign(arrival, { seenAt: this.#clock.now(), isUnsaved: true })
  }

  /** Notes a mirror's heartbeat. */
  noteHeartbeat(validation: string, route: string): void {
    const arrival = this.#arrivals.get(validation)
    if (arrival) Object.assign(arrival, { mirror: { at: this.#clock.now(), route }, isUnsaved: true })
  }

  view(validation: string): ArrivingView {
    const arrival = this.#arrivals.get(validation)!
    const { seenAt, mirror } = arrival
    const isMirrorThere = mirror && this.#clock.now() - mirror.at < mirrorGoneAfterMs
    return {
      lastSeenAt: seenAt === undefined ? null : new Date(seenAt).toISOString(),
      quietSince: this.#isQuiet(arrival) ? new Date(seenAt ?? this.#startedAt).toISOString() : null,
      mirror: isMirrorThere ? { route: mirror.route, lastReportAt: new Date(mirror.at).toISOString() } : null,
    }
  }

  /** Whether a mirror has ever reported, even if it has gone silent since. */
  wasMirrored(validation: string): boolean {
    return this.#arrivals.get(validation)!.mirror !== undefined
  }

  list(): { validation: string; isQuiet: boolean; lastSeenAt: EpochMs | undefined }[] {
    return [...this.#arrivals].map(([validation, arrival]) => ({
      validation,
      isQuiet: this.#isQuiet(arrival),
      lastSeenAt: arrival.seenAt,
    }))
  }

  async sync(db: Db): Promise<void> {
    await this.#save(db)
    for (const row of await listArrivals(db)) {
      const arrival = this.#arrivals.get(row.name)
      if (!arrival) continue
      arrival.state = row.state
      const seenAt = row.seen_at?.getTime()
      if (seenAt !== undefined && seenAt > (arrival.seenAt ?? 0)) arrival.seenAt = seenAt
      const mirrorAt = row.mirror_at?.getTime()
      if (mirrorAt !== undefined && mirrorAt > (arrival.mirror?.at ?? 0)) {
        arrival.mirror = { at: mirrorAt, route: row.mirror_route! }
      }
    }
    this.#log()
  }

  async #save(db: Db): Promise<void> {
    const unsaved = [...this.#arrivals].filter(([, { isUnsaved }]) => isUnsaved)
    const date = (at: EpochMs | undefined) => (at === undefined ? null : new Date(at))
    const rows = unsaved.map(([validation, { seenAt, mirror }]) => ({
      validation,
      seen_at: date(seenAt),
      mirror_at: date(mirror?.at),
      mirror_route: mirror?.route ?? null,
    }))
    // cleared before the wait, so that arrivals during it are saved by the next sync
    for (const [, arrival] of unsaved) arrival.isUnsaved = false
    try {
      await saveArrivals(db, rows)
    } catch (error) {
      for (const [, arrival] of unsaved) arrival.isUnsaved = true
      throw error
    }
  }

  #isQuiet({ state, seenAt, quietAfterMs }: Arrival): boolean {
    // a restarted comparator must not count its own downtime as silence
    const from = Math.max(seenAt ?? 0, this.#startedAt)
    return expecting.includes(state) && this.#clock.now() - from >= quietAfterMs
  }

  #log(): void {
    for (const [validation, arrival] of this.#arrivals) {
      const isQuiet = this.#isQuiet(arrival)
      if (isQuiet === arrival.wasQuiet) continue
      arrival.wasQuiet = isQuiet
      if (isQuiet) this.#logger.warn({ validation, ...this.view(validation) }, 'configured, but nothing is arriving')
      else this.#logger.info({ validation }, 'no longer quiet')
    }
  }
}
