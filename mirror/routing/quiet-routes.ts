import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { RouteConfig } from '../config/route.ts'
import type { Ledger } from '../ledger/ledger.ts'

export const lookEveryMs: Milliseconds = 1000

export interface Alarm {
  code: 'NOTHING_ARRIVING'
  validation: string
  route: string
  since: string
  message: string
}

/** A route with the validations that its exchanges belong to. */
export interface WatchedRoute extends Pick<RouteConfig, 'path' | 'methods'> {
  understudies: readonly { validation: string }[]
}

interface Arriving {
  validation: string
  isQuiet: boolean
  /** Undefined before the first exchange. */
  lastSeenAt: EpochMs | undefined
}

/** How long nothing has arrived: carried over a reload or to another process. */
export interface QuietState {
  validation: string
  route: string
  methods: readonly string[]
  /** Time of the last look that found a higher count, or of the start. */
  at: EpochMs
  quietForMs: Milliseconds
  lastSeenAt: EpochMs | undefined
  isQuiet: boolean
}

interface Watched extends Omit<QuietState, 'quietForMs'> {
  /** The ledger's count at the last look. */
  arrived: number
  monotonicAt: Milliseconds
}

interface QuietRoutesOptions {
  routes: readonly WatchedRoute[]
  ledger: Ledger
  quietAfterMs: Milliseconds
  clock: Clock
  logger: Logger
  /** The state of the previous watcher; a route that is unchanged keeps its quiet time. */
  before?: readonly QuietState[] | undefined
}

/**
 * Detects routes that are configured but idle: no exchange of a validation for `quietAfterMs`, since the start or the
 * last one. It reads the ledger's counts every second and on demand, so requests pay nothing for it.
 */
export class QuietRoutes {
  readonly #watched: Watched[]
  readonly #ledger: Ledger
  readonly #quietAfterMs: Milliseconds
  readonly #clock: Clock
  readonly #logger: Logger

  constructor({ routes, ledger, quietAfterMs, clock, logger, before = [] }: QuietRoutesOptions) {
    const now = clock.monotonic()
    const start = { at: clock.now(), lastSeenAt: undefined, isQuiet: false, quietForMs: 0 }
    this.#watched = routes.flatMap(({ path, methods, understudies }) =>
      understudies.map(({ validation }) => {
        const fresh = { ...start, validation, route: path, methods }
        const { quietForMs, ...state } = before.find((other) => isSameRoute(other, fresh)) ?? fresh
        return { ...state, arrived: ledger.arrived(validation), monotonicAt: now - quietForMs }
      }),
    )
    this.#ledger = ledger
    this.#quietAfterMs = quietAfterMs
    this.#clock = clock
    this.#logger = logger
  }

  look(): void {
    const now = this.#clock.now()
    const monotonic = this.#clock.monotonic()
    for (const watched of this.#watched) {
      const arrived = this.#ledger.arrived(watched.validation)
      if (arrived > watched.arrived) {
        Object.assign(watched, { arrived, at: now, monotonicAt: monotonic, lastSeenAt: now })
      }
      this.#turn(watched, monotonic - watched.monotonicAt >= this.#quietAfterMs)
    }
  }

  get arriving(): Arriving[] {
    this.look()
    return this.#watched.map(({ validation, isQuiet, lastSeenAt }) => ({ validation, isQuiet, lastSeenAt }))
  }

  get alarms(): Alarm[] {
    this.look()
    return this.#watched.filter(({ isQuiet }) => isQuiet).map(alarmOf)
  }

  get state(): QuietState[] {
    this.look()
    const now = this.#clock.monotonic()
    return this.#watched.map(({ arrived, monotonicAt, ...state }) => ({ ...state, quietForMs: now - monotonicAt }))
  }

  /** Logs one line when quiet begins and one when it ends. */
  #turn(watched: Watched, isQuiet: boolean): void {
    if (isQuiet === watched.isQuiet) return
    watched.isQuiet = isQuiet
    const { validation, route } = watched
    if (isQuiet) {
      const { message, ...alarm } = alarmOf(watched)
      this.#logger.warn(alarm, message)
    } else this.#logger.info({ validation, route }, 'exchanges arrive again')
  }
}

type Route = Pick<QuietState, 'validation' | 'route' | 'methods'>
const isSameRoute = (one: Route, other: Route) =>
  one.validation === other.validation && one.route === other.route && String(one.methods) === String(other.methods)

function alarmOf({ validation, route, methods, at, lastSeenAt }: Watched): Alarm {
  const since = new Date(at).toISOString()
  const span = lastSeenAt === undefined ? `since the mirror started at ${since}` : `since ${since}`
  const message = `no exchange on ${methods.join(', ')} ${route} ${span}; check that clients call this mirror, and that this is the path they use`
  return { code: 'NOTHING_ARRIVING', validation, route, since, message }
}
