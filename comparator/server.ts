import { acceptWaiting } from '../runtime/accept-waiting.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { Lifecycle, type RunningService } from '../runtime/lifecycle.ts'
import { listen } from '../runtime/listen.ts'
import type { Logger } from '../runtime/logger.ts'
import { startPeriodic } from '../runtime/periodic.ts'
import { type Milliseconds, minuteMs } from '../vocabulary/units.ts'
import { createApp } from './api/app.ts'
import { createMetrics } from './api/prometheus-metrics.ts'
import { RoutingWatch } from './api/routing-watch.ts'
import type { ComparatorConfig } from './config.ts'
import { Arrivals } from './jobs/arrivals.ts'
import { type Comparator, knownValidations } from './jobs/comparator.ts'
import { expire } from './jobs/expire.ts'
import { NewestJudgements } from './jobs/gate/newest-judgements.ts'
import { SharedAnswers } from './jobs/gate/shared-answers.ts'
import { keptExamplesOf } from './jobs/intake/kept-examples.ts'
import { PoliciesInForce } from './jobs/policies-in-force.ts'
import { advanceRollouts } from './jobs/promotion/advance-rollouts.ts'
import { readRoutingVersion } from './jobs/promotion/routing-document.ts'
import { watchPromoted } from './jobs/promotion/watch-promoted.ts'
import { Overview } from './jobs/views/overview.ts'
import { Webhooks } from './jobs/webhooks.ts'
import type { freeBytesOf } from './store/database/disk-room.ts'
import { openDatabase } from './store/database/open-database.ts'
import { newestVerdicts } from './store/gate/gate-evaluations.ts'
import { addValidations } from './store/gate/policies.ts'
import { migrate, warningOfOthers } from './store/migrate/migrate.ts'
import { promotionsInState } from './store/promotion/promotions.ts'
import { syncRouting } from './store/promotion/sync-routing.ts'
import { countWaitingDeliveries } from './store/promotion/webhook-deliveries.ts'

const rolloutIntervalMs = 500
const expireIntervalMs = minuteMs
const verdictIntervalMs = 15_000
/** Shorter would gain nothing: the alarm goes to a person, who needs longer than this to react. */
const harmIntervalMs = 15_000
const webhookIntervalMs = 500
const arrivalsIntervalMs = 2_000
const policyIntervalMs = 5_000
/** Keeps clients that have not signed in from holding connections for ever. */
const slowClientMs: Milliseconds = 2 * minuteMs

export interface RunningComparator extends RunningService {
  url: string
}

/** Opens the database, brings it up to date, and serves the API and the dashboard until stopped. */
export async function startComparator(options: {
  config: ComparatorConfig
  logger: Logger
  clock?: Clock
  /** Free space on the disk that holds a directory. */
  freeBytes?: typeof freeBytesOf
  slowClientMs?: Milliseconds
  /** Called once clients are served; a little of the start is still to come. */
  onListening?: () => void
}): Promise<RunningComparator> {
  const { config, logger, clock = systemClock, freeBytes } = options
  const lifecycle = new Lifecycle(logger)
  const repeat = (name: string, intervalMs: Milliseconds, job: () => Promise<unknown>) =>
    lifecycle.onStop(name, startPeriodic(name, intervalMs, job, logger))
  try {
    const { db, hasRoom, analyse, limitSilence, close } = await openDatabase(config.database, { freeBytes, logger })
    lifecycle.onStop('database', close)
    const warning = await warningOfOthers(db)
    if (warning) logger.warn(warning)
    const applied = await migrate(db)
    if (applied.length > 0) logger.info({ applied }, 'migrations applied')
    limitSilence()

    const validations = knownValidations(config.validations)
    await addValidations(db, [...validations.values()])

    const routingWatch = new RoutingWatch(() => readRoutingVersion({ db }))
    const arrivals = new Arrivals([...validations.values()], clock, logger)
    const syncArrivals = () => arrivals.sync(db)
    await syncArrivals()
    lifecycle.onStop('arrivals', syncArrivals)
    repeat('arrival syncs', arrivalsIntervalMs, syncArrivals)
    const webhooks = new Webhooks(config.webhooks, clock, logger)
    const policies = new PoliciesInForce([...validations.values()], logger)
    const comparator: Comparator = {
      db,
      clock,
      logger,
      validations,
      policies,
      retention: config.retention,
      arrivals,
      webhooks,
      routingChanged: routingWatch.changed,
    }
    const metrics = createMetrics({
      arrivals,
      newestVerdicts: () => newestVerdicts(db, [...validations.keys()]),
      promoted: () => promotionsInState(db, 'promoted'),
      deliveriesWaiting: () => countWaitingDeliveries(db),
      bodiesDropped: keptExamplesOf(db).dropped,
    })
    const judgements = new NewestJudgements(comparator)
    const overview = new Overview(comparator, judgements)
    const answers = new SharedAnswers(comparator)
    const app = await createApp({
      comparator,
      judgements,
      overview,
      answers,
      metrics,
      routingWatch,
      hasRoom,
      slowClientMs: options.slowClientMs ?? slowClientMs,
      auth: config,
    })
    lifecycle.onStop('http', async () => {
      await acceptWaiting(app.server)
      await app.close()
    })
    lifecycle.onStop('waiting mirrors', () => routingWatch.close())
    repeat('rollouts', rolloutIntervalMs, () => advanceRollouts(comparator))
    repeat('verdicts', verdictIntervalMs, () => overview.judgeAll())
    repeat('harm', harmIntervalMs, () => watchPromoted(comparator))
    for (const deliver of webhooks.deliveries(db, lifecycle.signal)) repeat('webhooks', webhookIntervalMs, deliver)
    repeat('expiry', expireIntervalMs, () => expire(comparator))
    if (analyse) repeat('statistics', expireIntervalMs, analyse)

    // not by fastify, which would log each of the system's addresses besides
    const url = await listen(app.server, config.listen)
    options.onListening?.()
    logger.info({ url, validations: [...validations.keys()] }, 'the comparator is ready')
    // only once it listens: a comparator that fails to start, as where its port is taken, must not change the policies in
    // force and the routing
    await policies.renew(db)
    repeat('policies', policyIntervalMs, () => policies.renew(db))
    const rerouted = await syncRouting(db, [...validations.values()], new Date(clock.now()))
    if (rerouted.length > 0) {
      logger.info(
        { validations: rerouted },
        'the routing has these validations: they are new, or their reverseShadow changed',
      )
    }
    if (config.tokens.length === 0 && !config.oidc) logger.warn('no tokens are configured: nobody can use the API')
    return { url, stop: () => lifecycle.stop() }
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}
