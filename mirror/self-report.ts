import type { Clock } from '../runtime/clock.ts'
import type { MirrorAlarm, MirroredCandidate, MirrorReport } from '../vocabulary/mirrors.ts'
import type { Bytes, EpochMs, Milliseconds } from '../vocabulary/units.ts'
import { type Fields, fieldValue } from './http1/fields.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Stage } from './stage.ts'

const textLengthMax = 200
const urlLengthMax = 2000
const itemsMax = 1000

interface SelfReportSources {
  name: string
  worker: number
  workers: number
  clock: Clock
  ledger: Ledger
  outbox: { readonly mode: string; readonly isDiskFailing: boolean }
  spool: { readonly bytes: Bytes } | undefined
  stage: () => Pick<Stage, 'config' | 'routes' | 'quietRoutes'>
}

/** What a mirror reports about itself to the comparator: current figures, and alarms with when they began. */
export class SelfReport {
  readonly #sources: SelfReportSources
  readonly #startedAt: EpochMs
  readonly #lastAnswers = new Map<string, { at: EpochMs; fields: Fields }>()
  #caughtUpAt: Milliseconds
  /** Current alarms, each with when it began. */
  #troubles = new Map<string, string>()

  constructor(sources: SelfReportSources) {
    this.#sources = sources
    this.#startedAt = sources.clock.now()
    this.#caughtUpAt = sources.clock.monotonic()
  }

  /** Notes that a candidate answered; its headers are read only when a report is made. */
  answered(validation: string, fields: Fields): void {
    this.#lastAnswers.set(validation, { at: this.#sources.clock.now(), fields })
  }

  describe(isStopping: boolean): MirrorReport {
    const { name, worker, workers, clock, ledger, outbox, spool } = this.#sources
    const now = clock.monotonic()
    if (outbox.mode !== 'spooling') this.#caughtUpAt = now
    const candidates = this.#candidates()
    return {
      name: name.slice(0, textLengthMax),
      worker,
      workers,
      startedAt: iso(this.#startedAt),
      isStopping,
      lagMs: Math.round(now - this.#caughtUpAt),
      spooledBytes: spool?.bytes ?? 0,
      pending: ledger.pending,
      ledger: Object.entries(ledger.accounts())
        .slice(0, itemsMax)
        .map(([validation, account]) => ({ validation, ...account })),
      alarms: this.#alarms(candidates).slice(0, itemsMax),
      candidates,
    }
  }

  #candidates(): MirroredCandidate[] {
    const { config, routes } = this.#sources.stage()
    const { versionHeader, digestHeader } = config.capture
    const ofRoutes = routes.flatMap(({ path, understudies }) =>
      understudies.filter(({ isNoiseFloor }) => !isNoiseFloor).map((understudy) => ({ path, ...understudy })),
    )
    return ofRoutes.slice(0, itemsMax).map(({ path, validation, config: { url }, shadows, liveBreaker }) => {
      const last = this.#lastAnswers.get(validation)
      const header = (named: string) =>
        fieldValue(last?.fields ?? [], named.toLowerCase())?.slice(0, textLengthMax) ?? null
      return {
        validation,
        route: path.slice(0, urlLengthMax),
        url: url.slice(0, urlLengthMax),
        breaker: liveBreaker?.isOpen ? 'open' : shadows.breaker,
        inFlight: shadows.inFlight,
        queued: shadows.waiting,
        lastAnswerAt: last ? iso(last.at) : null,
        version: header(versionHeader),
        digest: header(digestHeader),
      }
    })
  }

  #alarms(candidates: readonly MirroredCandidate[]): MirrorAlarm[] {
    const { outbox, stage } = this.#sources
    const quiet = stage().quietRoutes.alarms.map(({ code, validation, since, message }) => ({
      code,
      validation,
      since,
      message: message.slice(0, urlLengthMax),
    }))
    const troubles = candidates
      .filter(({ breaker }) => breaker !== 'closed')
      .map(({ validation, url }) => ({
        code: 'BREAKER_OPEN',
        validation,
        message: `${url} keeps failing, so it gets only occasional probes: other copies count as shed, and the primary answers where it was live. Check that the candidate server is up.`,
      }))
    const disk = {
      code: 'SPOOL_FAILING',
      validation: null,
      message:
        'The spool cannot be written or read: observations wait in memory and are shed once it is full; those on disk stay there.',
    }
    return [...quiet, ...this.#sinceWhen(outbox.isDiskFailing ? [disk, ...troubles] : troubles)]
  }

  /** Dates each alarm from when this mirror first raised it. */
  #sinceWhen(troubles: readonly Omit<MirrorAlarm, 'since'>[]): MirrorAlarm[] {
    const now = iso(this.#sources.clock.now())
    const alarms = troubles.map((trouble) => {
      const key = `${trouble.code} ${trouble.validation} ${trouble.message}`
      return { key, alarm: { ...trouble, since: this.#troubles.get(key) ?? now } }
    })
    this.#troubles = new Map(alarms.map(({ key, alarm }) => [key, alarm.since]))
    return alarms.map(({ alarm }) => alarm)
  }
}

const iso = (at: EpochMs) => new Date(at).toISOString()
