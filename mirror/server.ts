import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { Lifecycle } from '../runtime/lifecycle.ts'
import { listen, urlOf } from '../runtime/listen.ts'
import type { Logger } from '../runtime/logger.ts'
import { createRegistry } from '../runtime/metrics-registry.ts'
import { startPeriodic } from '../runtime/periodic.ts'
import type { CoverageReport } from '../vocabulary/coverage.ts'
import type { Milliseconds } from '../vocabulary/units.ts'
import { type Accounts, createAdminServer, type Readiness } from './admin.ts'
import { ByteBudget } from './capture/byte-budget.ts'
import { readCertificate } from './certificate.ts'
import type { MirrorConfig } from './config.ts'
import { openDelivery } from './delivery.ts'
import { FrontDoor } from './front-door/front-door.ts'
import { createGuard } from './guard.ts'
import type { Resumed } from './ledger/resumed.ts'
import { AccessLog } from './observe/access-log.ts'
import { ClosedIdle } from './observe/closed-idle.ts'
import { FailedHandshakes } from './observe/failed-handshakes.ts'
import { refusedCopiesLog } from './observe/refused-copies.ts'
import { RefusedRequests } from './observe/refused-requests.ts'
import { addStateMetrics } from './observe/state-metrics.ts'
import { createTrafficMetrics } from './observe/traffic-metrics.ts'
import type { Reloadable } from './reload.ts'
import { lookEveryMs, type QuietState } from './routing/quiet-routes.ts'
import { type RoutingPage, routingPage } from './routing-page.ts'
import { Stages } from './stages.ts'
import { startTracing } from './tracing/tracing.ts'

export interface RunningMirror {
  url: string
  adminUrl: string
  /** Drains clients in flight, then shadows, then deliveries. What is not delivered stays on disk. */
  stop(): Promise<void>
  /** Bytes of `capture.memoryMax` in use. */
  readonly heldBytes: number
}

/** The mirror as seen by the process that runs it. */
export interface StartedMirror extends RunningMirror, Reloadable {
  /** Grows while the spool is read, which may be later than the start if the disk failed at first. */
  readonly resumed: Resumed
  /** Workers only: serves a client's connection that the supervisor accepted. */
  take(connection: Socket): void
  /** Whether `stop` had to cut clients off. */
  readonly wasCut: boolean
  readiness(): Readiness
  quiet(): QuietState[]
  /** Reports that may not have reached the comparator. */
  coverage(): CoverageReport[]
  accounts(): Accounts
  routing(): RoutingPage
}

interface MirrorOptions {
  config: MirrorConfig
  logger: Logger
  clock?: Clock
  /** One of several workers: the supervisor owns the ports and raises the alarms. */
  isWorker?: boolean
  /** The worker's number, from 0. */
  worker?: number
  /** The state of the worker that this one replaces. */
  quietBefore?: readonly QuietState[]
  coverageBefore?: readonly CoverageReport[]
}

/** Time for the last spans, after delivery. */
const spansGraceMs = 1000
/** Time beyond `drain` for shadows to end, for delivery and for the disk. */
const leavingMs = 10_000

/** How long a mirror with this config may take to stop. */
export const stopLimitMs = ({ drain }: MirrorConfig): Milliseconds => drain + leavingMs

/**
 * Rejects if an address is taken or another mirror holds the spool. A failing disk or comparator does not prevent the
 * start.
 */
export async function startMirror(options: MirrorOptions): Promise<StartedMirror> {
  const lifecycle = new Lifecycle(options.logger)
  try {
    return await start(options, lifecycle)
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

/** The parts are released in reverse order: clients, shadows, delivery, then what was watching them. */
async function start(options: MirrorOptions, lifecycle: Lifecycle): Promise<StartedMirror> {
  const { config, logger, clock = systemClock, isWorker = false, worker = 0 } = options
  const { quietBefore = [], coverageBefore = [] } = options
  const certificate = config.tls && readCertificate(config.tls)

  const tracing = config.tracing && (await startTracing(config.tracing, clock, logger))
  lifecycle.onStop('tracing', () => tracing?.stop(spansGraceMs))
  const accessLog = new AccessLog(logger, clock)
  lifecycle.onStop('access log', () => accessLog.close())
  const refused = new RefusedRequests(clock, logger)
  const failedHandshakes = new FailedHandshakes(clock, logger)
  const closedIdle = new ClosedIdle(clock, logger)
  const copyRefused = refusedCopiesLog(clock, logger)
  const registry = createRegistry()
  const metrics = createTrafficMetrics(registry)
  const guard = createGuard(logger, clock, metrics.mirrorError)

  const readiness = () => ({ isReady: !lifecycle.signal.aborted, alarms: stages.current.quietRoutes.alarms })
  const livePage = () => {
    const { primary, routes } = stages.current
    return routingPage({ primary, routes, routing: routing(), hasComparator: config.comparator !== undefined })
  }
  const admin = createAdminServer({
    readiness,
    ledger: () => ledger.accounts(),
    routing: livePage,
    metrics: () => registry.metrics(),
  })
  lifecycle.onStop('admin', () => {
    admin.close()
    admin.closeAllConnections()
  })

  const budget = new ByteBudget(config.capture.memoryMax)
  const delivery = await openDelivery({ config, worker, budget, coverageBefore, clock, logger, lifecycle })
  const { ledger, routing } = delivery

  // what all stages share: each lasts until the next reload
  const stages = new Stages(
    config,
    {
      clock,
      logger,
      // a worker sees only part of the traffic, so only the supervisor can say that nothing arrives
      quietLogger: isWorker ? logger.child({}, { level: 'silent' }) : logger,
      quietBefore,
      budget,
      ledger,
      guard,
      routing,
      accept: (observation, entry) => delivery.outbox.accept(observation, entry),
      shadowEnded(validation, leg, outcome) {
        metrics.shadow(validation, leg, outcome)
        if (leg === 'candidate' && outcome.kind === 'answered') delivery.candidateAnswered(validation, outcome.fields)
      },
      copyRefused,
      passedOn: metrics.passedOn,
      tracing,
      ended(record, validation, { accessLog: settings }) {
        metrics.request(validation === undefined ? 'primary' : 'candidate', record)
        accessLog.record(settings, record, validation)
        if (validation !== undefined && record.end === 'answered') {
          delivery.candidateAnswered(validation, record.responseFields)
        }
      },
    },
    worker === 0,
  )
  const look = async () => stages.current.quietRoutes.look()
  lifecycle.onStop('quiet routes', startPeriodic('quiet routes', lookEveryMs, look, logger))
  const drain = { until: Number.POSITIVE_INFINITY, wasCut: false }
  lifecycle.onStop('shadows', () => stages.drainShadows(drain.until - clock.monotonic()))

  const frontDoor = new FrontDoor({
    stage: () => stages.current,
    tls: certificate,
    refused: (status, reason, client) => refused.add(status, reason, client),
    handshakeFailed: (error, client) => failedHandshakes.add(error, client),
    closedIdle: (clients) => closedIdle.add(clients),
  })
  lifecycle.onStop('clients', async () => {
    delivery.announceRelease()
    const drainMs = stages.current.config.drain
    drain.until = clock.monotonic() + drainMs
    drain.wasCut = (await frontDoor.drain(drainMs)) === 'cut'
    stages.closeConnections()
  })
  addStateMetrics(registry, {
    ...delivery,
    stages,
    frontDoor,
    accessLog,
    refused,
    failedHandshakes,
    closedIdle,
    budget,
    spoolMax: delivery.spool ? config.spool.sizeMax : 0,
    tracing,
  })

  const adminUrl = isWorker ? '' : await listen(admin, config.admin)
  const url = isWorker ? urlOf(config.listen, config.tls ? 'https' : 'http') : await frontDoor.listen(config.listen)
  delivery.begin(config.name ?? `${hostname()}:${new URL(url).port}`, () => stages.current)
  return {
    url,
    adminUrl,
    resumed: delivery.resumed,
    registry,
    readiness,
    quiet: () => stages.current.quietRoutes.state,
    coverage: () => delivery.coverage?.unsettled() ?? [],
    accounts: () => ledger.accounts(),
    routing: livePage,
    stop: () => lifecycle.stop(),
    take: (connection) => frontDoor.take(connection),
    get heldBytes() {
      return budget.held
    },
    get wasCut() {
      return drain.wasCut
    },
    async prepare(next) {
      const certificate = next.tls && readCertificate(next.tls)
      const stage = stages.build(next)
      return {
        async apply() {
          if (lifecycle.signal.aborted) throw new Error('the mirror is stopping')
          stages.replace(stage)
          if (next.comparator) delivery.useToken(next.comparator.token)
          if (certificate) frontDoor.replaceCertificate(certificate)
        },
        discard: () => stage.close(),
      }
    },
  }
}
