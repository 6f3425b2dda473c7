import { randomUUIDv7 } from 'node:crypto'
import type { Logger } from '../runtime/logger.ts'
import type { MirroredValidation } from '../vocabulary/coverage.ts'
import type { Bytes, Milliseconds } from '../vocabulary/units.ts'
import type { ByteBudget } from './capture/byte-budget.ts'
import { primaryOf } from './config/upstream.ts'
import type { MirrorConfig } from './config.ts'
import type { ExchangeContext } from './exchange/exchange-context.ts'
import { LiveHeaders } from './forward/live-headers.ts'
import { type Leg, type LiveChoice, type LiveStage, onlyForwarded } from './forward/live-stage.ts'
import { handleRequest, type TrafficParts } from './handle-request.ts'
import type { LiveRecord } from './live/live-record.ts'
import type { LiveEnd, LiveRequest } from './live/live-watch.ts'
import type { FollowedRouting } from './routing/follow-routing.ts'
import { QuietRoutes, type QuietState } from './routing/quiet-routes.ts'
import { RouteTable } from './routing/route-table.ts'
import { createUnderstudies } from './shadow/create-understudies.ts'
import { droppedFromShadows } from './shadow/shadow-headers.ts'
import type { MirroredRoute } from './shadow/understudy.ts'
import type { RequestTrace } from './tracing/request-trace.ts'
import type { Tracing } from './tracing/tracing.ts'
import { until } from './until.ts'
import { startHealthChecks } from './upstream/health-check.ts'
import { createUpstream, type Upstream } from './upstream/upstream.ts'
import { UpstreamGroup } from './upstream/upstream-group.ts'

const decodingGraceMs = 1000
const replayAtLeast: Bytes = 1024 * 1024

/** What a mirror keeps for its whole life, across reloads. */
export interface StageContext
  extends Omit<ExchangeContext, 'primary' | 'open' | 'newId' | 'isDropped' | 'headers' | 'rules'> {
  logger: Logger
  quietLogger: Logger
  /** Quiet-route state of the process that this one replaces. */
  quietBefore: readonly QuietState[]
  routing: () => FollowedRouting
  /** Called when any understudy's breaker opens or closes, even on a stage that is retiring. */
  breakerTurned: () => void
  tracing: Tracing | undefined
  /** `validation`: that of the candidate that answered; undefined if the primary did. */
  ended: (record: LiveRecord, validation: string | undefined, config: MirrorConfig) => void
}

/**
 * Everything that the config decides and a reload replaces: upstreams, routes, understudies with their queues, limits.
 * A request stays on one stage from beginning to end:
 *
 *     built ──▶ current (takes new requests) ──▶ retiring (finishes those under way) ──▶ closed
 */
export class Stage implements LiveStage {
  readonly config: MirrorConfig
  readonly primary: UpstreamGroup
  readonly forwarder: MirrorConfig['forwarder']
  readonly headers: LiveHeaders
  readonly silenceMaxMs: Milliseconds
  readonly idleMaxMs: Milliseconds
  readonly budget: ByteBudget
  readonly replayMax: Bytes
  readonly guard: ExchangeContext['guard']
  readonly routes: readonly MirroredRoute[]
  readonly quietRoutes: QuietRoutes
  readonly #context: StageContext
  readonly #traffic: TrafficParts
  readonly #open = { count: 0 }
  readonly #candidates: ReadonlyMap<Upstream, string>
  readonly #stopHealthChecks: (() => void) | undefined
  #liveRequests = 0
  #lastLiveEnded = () => {}

  /** `before`: the stage that this one replaces. Throws if a file that the config names can't be read. */
  constructor(config: MirrorConfig, context: StageContext, before?: Stage) {
    const { clock, logger, quietLogger, budget, ledger, routing, breakerTurned } = context
    this.config = config
    this.#context = context
    this.guard = context.guard
    this.budget = budget
    // the primary must be able to answer in a candidate's place whenever the request was small enough to mirror
    this.replayMax = Math.max(replayAtLeast, config.capture.bodyMax)
    this.forwarder = config.forwarder
    this.headers = new LiveHeaders(config.headers)
    this.silenceMaxMs = config.timeout
    this.idleMaxMs = config.idleTimeout
    const { urls, tls, rest, healthCheck } = primaryOf(config.primary)
    const primaries = urls.map((url) => createUpstream(url, this.silenceMaxMs, { tls, log: { clock, logger } }))
    this.primary = new UpstreamGroup(primaries, rest, clock, before?.primary)
    // without health checks nothing would ever mark an upstream healthy again
    if (!healthCheck) for (const upstream of primaries) this.primary.setHealthy(upstream, true)
    this.routes = config.routes.map((route) => ({
      ...route,
      understudies: createUnderstudies(
        route,
        { config, primary: this.primary, budget, clock, logger, breakerTurned },
        before?.routes.find(({ path }) => path === route.path)?.understudies,
      ),
    }))
    const candidates = this.understudies.filter(({ isNoiseFloor }) => !isNoiseFloor)
    this.#candidates = new Map(
      candidates.flatMap(({ validation, upstreams }) => upstreams.upstreams.map((upstream) => [upstream, validation])),
    )
    this.quietRoutes = new QuietRoutes({
      routes: this.routes,
      ledger,
      quietAfterMs: config.quietAfter,
      clock,
      logger: quietLogger,
      before: before ? before.quietRoutes.state : context.quietBefore,
    })
    this.#traffic = {
      routes: new RouteTable(this.routes.filter((route) => route.understudies.length > 0)),
      routing: () => routing().document.validations,
      context: {
        ...context,
        primary: this.primary,
        open: this.#open,
        newId: randomUUIDv7,
        isDropped: droppedFromShadows(config.shadow.allowHeaders, config.headers.remove),
        headers: config.headers,
        rules: {
          headers: config.capture.headers.map((name) => name.toLowerCase()),
          versionHeader: config.capture.versionHeader.toLowerCase(),
          digestHeader: config.capture.digestHeader.toLowerCase(),
          bodyMax: config.capture.bodyMax,
        },
      },
    }
    this.#stopHealthChecks = healthCheck && startHealthChecks(this.primary, healthCheck, clock, logger)
  }

  get understudies() {
    return this.routes.flatMap((route) => route.understudies)
  }

  get mirrored(): MirroredValidation[] {
    return this.routes.flatMap(({ path, understudies }) =>
      understudies.map(({ validation }) => ({ validation, route: path })),
    )
  }

  get openExchanges(): number {
    return this.#open.count
  }

  get requestsInFlight(): number {
    return this.#liveRequests
  }

  choose(request: LiveRequest): LiveChoice {
    this.#liveRequests++
    return handleRequest(this.#traffic, request, this.#beginTrace(request))
  }

  chooseForHandshake(request: LiveRequest): LiveChoice {
    this.#liveRequests++
    return onlyForwarded(request, this.primary, this.#beginTrace(request))
  }

  ended({ record, trace }: LiveChoice, leg: Pick<Leg, 'upstream' | 'watch' | 'passedOn'>, end: LiveEnd): void {
    const { upstream, watch, passedOn } = leg
    record.over(end, upstream, passedOn)
    this.guard('the end of a live request', () => {
      watch?.ended(end)
      const validation = this.#candidates.get(upstream)
      this.#context.ended(record, validation, this.config)
      trace?.ended(record, validation)
    })
    this.#liveRequests--
    if (this.#liveRequests === 0) this.#lastLiveEnded()
  }

  /**
   * Sheds shadow requests that are unanswered at the deadline, then waits for every exchange to finish decoding its
   * bodies.
   */
  async drainShadows(deadlineMs: Milliseconds): Promise<void> {
    const queues = new Set(this.understudies.flatMap(({ shadows, reverseShadows }) => [shadows, reverseShadows]))
    await until(() => this.#open.count === 0, deadlineMs)
    for (const queue of queues) queue.close()
    await until(() => this.#open.count === 0, decodingGraceMs)
  }

  /** Shadows get `drain`; a client's own request may take as long as it likes. */
  async retire(): Promise<void> {
    // a stream may keep this stage open for days, and the next stage does its own checks
    this.#stopHealthChecks?.()
    const lastLiveEnded = new Promise<void>((resolve) => {
      this.#lastLiveEnded = resolve
      if (this.#liveRequests === 0) resolve()
    })
    await this.drainShadows(this.config.drain)
    await lastLiveEnded
    this.closeConnections()
  }

  /** For a stage that never became current. */
  async close(): Promise<void> {
    await this.drainShadows(0)
    this.closeConnections()
  }

  /** Connections in use stay open until they are done: an upload may continue after an early answer. */
  closeConnections(): void {
    this.#stopHealthChecks?.()
    for (const group of [this.primary, ...this.understudies.map(({ upstreams }) => upstreams)]) {
      for (const upstream of group.upstreams) upstream.close()
    }
  }

  #beginTrace(request: LiveRequest): RequestTrace | undefined {
    const { tracing } = this.#context
    if (!tracing) return undefined
    let trace: RequestTrace | undefined
    this.guard('beginning a trace', () => {
      trace = tracing.begin(request)
    })
    return trace
  }
}
