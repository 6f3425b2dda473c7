import { randomUUIDv7 } from 'node:crypto'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { Lifecycle } from '../runtime/lifecycle.ts'
import { listen, urlOf } from '../runtime/listen.ts'
import type { Logger } from '../runtime/logger.ts'
import { startPeriodic } from '../runtime/periodic.ts'
import type { CoverageReport, MirroredValidation } from '../vocabulary/coverage.ts'
import type { Milliseconds } from '../vocabulary/units.ts'
import { type Accounts, createAdminServer, type Readiness } from './admin.ts'
import type { MirrorConfig } from './config.ts'
import { ComparatorClient } from './delivery/comparator-client.ts'
import { Outbox } from './delivery/outbox.ts'
import { Rejections } from './delivery/rejections.ts'
import { CoverageReporter } from './delivery/report-coverage.ts'
import { SelfReport } from './delivery/self-report.ts'
import { ByteBudget } from './exchange/byte-budget.ts'
import { warnOfNarrowMemory } from './exchange/narrow-memory.ts'
import { readCertificate } from './forward/certificate.ts'
import { FrontDoor } from './forward/front-door.ts'
import { createGuard } from './guard.ts'
import { Coverage } from './ledger/coverage.ts'
import { Ledger } from './ledger/ledger.ts'
import { nothingResumed, type Resumed } from './ledger/resumed.ts'
import { createMetrics } from './metrics.ts'
import { AccessLog } from './observe/access-log.ts'
import { RefusedCopies } from './observe/refused-copies.ts'
import { RefusedRequests } from './observe/refused-requests.ts'
import { startTracing } from './observe/tracing.ts'
import { openSpool } from './open-spool.ts'
import type { Reloadable } from './reload.ts'
import { allPrimary, RoutingFollower } from './routing/follow-routing.ts'
import { lookEveryMs, type QuietState } from './routing/quiet-routes.ts'
import { type RoutingPage, routingPage } from './routing-page.ts'
import { breakerLog } from './shadow/breaker-log.ts'
import { Stage, type StageContext } from './stage.ts'
import { Stages } from './stages.ts'

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

/** Time for delivery and the last coverage reports, once clients and shadows are done. */
const deliveryGraceMs = 3000
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

async function start(options: MirrorOptions, lifecycle: Lifecycle): Promise<StartedMirror> {
  const { config, logger, clock = systemClock, isWorker = false, worker = 0 } = options
  // kept for the life of the mirror
  const budget = new ByteBudget(config.capture.memoryMax)
  const comparator = config.comparator && new ComparatorClient(config.comparator.url, config.comparator.token)
  const coverage = comparator && new Coverage(randomUUIDv7())
  coverage?.restore(options.coverageBefore ?? [], false)
  const ledger = new Ledger(coverage)
  const follower = comparator && new RoutingFollower(comparator, join(config.spool.dir, 'routing.json'), clock, logger)
  const noRouting = allPrimary(clock)
  const routing = () => follower?.current ?? noRouting
  const opening = comparator && openSpool(config, worker, ledger, logger, clock)
  const { spool, resumed = nothingResumed } = (await opening) ?? {}
  lifecycle.onStop('spool', () => spool?.close())
  const tracing = config.tracing && (await startTracing(config.tracing, clock, logger))
  lifecycle.onStop('tracing', () => tracing?.stop(spansGraceMs))
  const accessLog = new AccessLog(logger, clock)
  lifecycle.onStop('access log', () => accessLog.close())
  const refused = new RefusedRequests(clock, logger)
  const refusedCopies = new RefusedCopies(clock, logger)
  const mirrored: MirroredValidation[] = []
  const reporter =
    coverage &&
    new CoverageReporter({
      coverage,
      comparator,
      mirrors: mirrored,
      file: join(config.spool.dir, 'coverage.json'),
      clock,
      logger,
      isDiskOurs: () => spool?.isReady ?? false,
      describe: (isStopping) => self?.describe(isStopping),
    })
  const guard = createGuard(logger, clock, (what) => metrics.mirrorError(what))
  const outbox = new Outbox({ comparator, spool, budget, ledger, rejections: new Rejections(clock, logger), logger })
  // set once the mirror listens: a mirror that could not start must not report under another's name
  let self: SelfReport | undefined

  // each stage lasts until the next reload; this is what all of them share
  const stageContext: StageContext = {
    clock,
    logger,
    // a worker sees only part of the traffic, so only the supervisor can say that nothing arrives
    quietLogger: isWorker ? logger.child({}, { level: 'silent' }) : logger,
    quietBefore: options.quietBefore ?? [],
    budget,
    ledger,
    guard,
    routing,
    accept: (observation, entry) => outbox.accept(observation, entry),
    shadowEnded(validation, leg, outcome) {
      metrics.shadow(validation, leg, outcome)
      if (leg === 'candidate' && outcome.kind === 'answered') self?.answered(validation, outcome.fields)
    },
    copyRefused: (validation, status) => refusedCopies.add(validation, status),
    passedOn: (validation, why) => metrics.passedOn(validation, why),
    breakerTurned: () => logBreakers(stages.current.understudies),
    tracing,
    ended(record, validation, { accessLog: settings }) {
      metrics.request(validation === undefined ? 'primary' : 'candidate', record)
      accessLog.record(settings, record, validation)
      if (validation !== undefined && record.end === 'answered') self?.answered(validation)
    },
  }
  const logBreakers = breakerLog(logger)
  const announce = (stage: Stage) => {
    logBreakers(stage.understudies)
    mirrored.splice(0, mirrored.length, ...stage.mirrored)
    for (const { validation } of stage.mirrored) ledger.open(validation)
    if (worker === 0 && stage.mirrored.length > 0) warnOfNarrowMemory(stage.config.capture, logger)
  }
  const stages = new Stages(new Stage(config, stageContext), logger)
  announce(stages.current)
  const frontDoor = new FrontDoor({
    stage: () => stages.current,
    tls: config.tls && readCertificate(config.tls),
    refused: (status, reason, client) => refused.add(status, reason, client),
  })
  const metrics = createMetrics({
    stages,
    frontDoor,
    routing,
    follower,
    coverage,
    accessLog,
    refused,
    outbox,
    ledger,
    budget,
    spool,
    spoolMax: spool ? config.spool.sizeMax : 0,
    tracing,
  })

  const readiness = () => ({ isReady: !lifecycle.signal.aborted, alarms: stages.current.quietRoutes.alarms })
  const livePage = () => {
    const { primary, routes } = stages.current
    return routingPage({ primary, routes, routing: routing(), hasComparator: comparator !== undefined })
  }
  const admin = createAdminServer({
    readiness,
    ledger: () => ledger.accounts(),
    routing: livePage,
    metrics: () => metrics.registry.metrics(),
    metricsType: metrics.registry.contentType,
  })

  // released in reverse order
  lifecycle.onStop('admin', () => {
    admin.close()
    admin.closeAllConnections()
  })
  lifecycle.onStop('comparator', () => comparator?.close())
  const look = async () => stages.current.quietRoutes.look()
  lifecycle.onStop('quiet routes', startPeriodic('quiet routes', lookEveryMs, look, logger))
  lifecycle.onStop('coverage', () => reporter?.send(AbortSignal.timeout(deliveryGraceMs), true))
  lifecycle.onStop('outbox', () => outbox.close(deliveryGraceMs))
  let work: Promise<void>[] = []
  // ends by itself, and its writes to the spool's directory must finish before the directory is released; it is awaited
  // only after the clients, because a disk may hang
  lifecycle.onStop('background work', () => Promise.all(work))
  const drain = { until: Number.POSITIVE_INFINITY, wasCut: false }
  lifecycle.onStop('shadows', () =>
    Promise.all(stages.all.map((stage) => stage.drainShadows(drain.until - clock.monotonic()))),
  )
  lifecycle.onStop('clients', async () => {
    spool?.announceRelease()
    const drainMs = stages.current.config.drain
    drain.until = clock.monotonic() + drainMs
    drain.wasCut = (await frontDoor.drain(drainMs)) === 'cut'
    for (const stage of stages.all) stage.closeConnections()
  })

  const adminUrl = isWorker ? '' : await listen(admin, config.admin)
  const url = isWorker ? urlOf(config.listen, config.tls ? 'https' : 'http') : await frontDoor.listen(config.listen)
  self = new SelfReport({
    name: config.name ?? `${hostname()}:${new URL(url).port}`,
    worker,
    workers: config.workers,
    clock,
    ledger,
    outbox,
    spool,
    stage: () => stages.current,
  })
  if (follower && reporter) {
    const report = (error: unknown) => logger.error({ err: error }, 'background work ended')
    work = [follower.follow(lifecycle.signal), reporter.run(lifecycle.signal)].map((task) => task.catch(report))
  } else logger.warn('no comparator: is configured; shadow requests are sent, but nothing is compared')
  return {
    url,
    adminUrl,
    resumed,
    registry: metrics.registry,
    readiness,
    quiet: () => stages.current.quietRoutes.state,
    coverage: () => coverage?.unsettled() ?? [],
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
      const stage = new Stage(next, stageContext, stages.current)
      return {
        async apply() {
          if (lifecycle.signal.aborted) throw new Error('the mirror is stopping')
          announce(stage)
          stages.replace(stage)
          if (next.comparator) comparator?.useToken(next.comparator.token)
          if (certificate) frontDoor.replaceCertificate(certificate)
        },
        discard: () => stage.close(),
      }
    },
  }
}
