import { createServer, type Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import packageJson from '../package.json' with { type: 'json' }
import { acceptWaiting } from '../runtime/accept-waiting.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { Lifecycle } from '../runtime/lifecycle.ts'
import { listen } from '../runtime/listen.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Registry } from '../runtime/metrics-registry.ts'
import type { Bytes, Milliseconds } from '../vocabulary/units.ts'
import { createMetrics } from './candidate-metrics.ts'
import type { CandidateServerConfig } from './config.ts'
import { FrontPinning } from './cpu/front-pinning.ts'
import { readTopology, type Topology } from './cpu/topology.ts'
import { watchCpus } from './cpu/watch-cpus.ts'
import { Fleet, type NextFleet } from './fleet/fleet.ts'
import { createPinKeeper } from './fleet/keep-pinned.ts'
import { runningPlan } from './fleet/running-plan.ts'
import { freeLargeBodies } from './free-large-bodies.ts'
import { createFront, type Front } from './http/front.ts'
import { handleRequest } from './http/handle-request.ts'
import { createQuickListener, type QuickListener } from './http/quick-listener.ts'
import { keepAliveMs } from './http/response-bytes.ts'
import { refuseMusl } from './instance/refuse-musl.ts'

export interface CandidateServerOptions {
  config: CandidateServerConfig
  logger: Logger
  clock?: Clock
  /** Folders searched for relative model and adapter paths; the working directory by default. */
  folders?: string[]
  /** The CPUs that the process may use; read again every `cpu.watch`. */
  readTopology?: () => Topology
  /**
   * Also pins the calling process to the CPUs that the plan leaves for the front; for a process that is the server's
   * own.
   */
  pinFront?: boolean
}

export interface CandidateServer {
  url: string
  registry: Registry
  /**
   * Applies a new config as a whole, or rejects with an error that says what to do and changes nothing. Also picks up
   * model files that have changed. Requests received before are answered by the version they were sent to.
   */
  reload(config: CandidateServerConfig): Promise<void>
  /**
   * Accepts no new connections, answers requests that arrive whole on open ones, closes these and ends the instances.
   */
  stop(): Promise<void>
}

/**
 * Rejects with an error that says what to do if the plan does not fit, a model cannot be loaded or the port is taken.
 */
export async function startCandidateServer(options: CandidateServerOptions): Promise<CandidateServer> {
  const { config, logger, clock = systemClock, folders = [process.cwd()], pinFront = false } = options
  const pinning = pinFront ? new FrontPinning() : undefined
  const topologyNow = options.readTopology ?? (() => pinning?.readTopology() ?? readTopology())
  refuseMusl()
  const lifecycle = new Lifecycle(logger)
  const fleet = new Fleet({ folders, clock, logger })
  try {
    const first = await fleet.prepare(config, topologyNow())
    fleet.takeOver(first)
    lifecycle.onStop('instances', () => fleet.stop())
    await pinning?.pin(first.plan.frontCpus)
    const metrics = createMetrics(() => fleet.models.map(({ served }) => served))
    const front = createFront({
      ...servedBy(first),
      version: packageJson.version,
      isReady: () => !lifecycle.signal.aborted && fleet.models.every(({ served }) => served.ready),
      isStopping: () => lifecycle.signal.aborted,
      plan: () => runningPlan(fleet, pinning, watch.warnings),
      metrics: () => metrics.registry.metrics(),
      onRelease: freeLargeBodies(),
      onReply: metrics.countReply,
      clock,
      logger,
    })
    for (const { served } of first.models) metrics.attach(served)

    let last: Promise<unknown> = Promise.resolve()
    /** Runs one change at a time; `to` is called for the config when the previous changes are done. */
    const change = (to: () => CandidateServerConfig) => {
      const changed = last.then(async () => {
        const next = to()
        const ready = await fleet.prepare(next, topologyNow())
        if (lifecycle.signal.aborted) return fleet.discard(ready)
        for (const { served } of ready.started) metrics.attach(served)
        Object.assign(front, servedBy(ready))
        http.headersTimeout = next.limits.bodyTimeout
        fleet.takeOver(ready)
        await pinning?.pin(ready.plan.frontCpus)
      })
      last = changed.catch(() => undefined)
      return changed
    }
    lifecycle.onStop('changes under way', () => last)
    const watch = watchCpus({
      everyMs: config.cpu.watch,
      read: topologyNow,
      planned: () => fleet.current.topology,
      replan: () => change(() => fleet.current.config),
      keepPinned: createPinKeeper({
        instances: () => fleet.models.flatMap(({ served }) => served.instances),
        front: pinning,
        registry: metrics.registry,
        logger,
      }),
      registry: metrics.registry,
      logger,
    })
    lifecycle.onStop('watch over CPUs', () => watch.stop())

    lifecycle.onStop('thread for large bodies', () => front.offThread.stop())
    const http = createHttp(front, logger)
    const quick = createQuickListener(http, front)
    const url = await listen(http, config.listen)
    lifecycle.onStop('requests', () => finishRequests(http, quick, front, fleet))
    logger.info({ url, models: config.models.map(({ name }) => name) }, 'the candidate server is ready')
    return { url, registry: metrics.registry, reload: (next) => change(() => next), stop: () => lifecycle.stop() }
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

/** The parts of the front that depend on the current fleet. */
function servedBy({ config, models }: NextFleet) {
  return {
    models: new Map(models.map((running) => [running.served.name, running])),
    adapterPaths: new Map(config.models.flatMap(({ name, paths }) => paths.map((path) => [path, name] as const))),
    limits: config.limits,
  }
}

/** Well over the 64 KiB that a mirror forwards, so that a candidate refuses no request that the primary answers. */
const headBytesMax: Bytes = 128 * 1024

/** Node's HTTP server, for connections that `quick-connection.ts` does not handle. */
function createHttp(front: Front, logger: Logger): Server {
  // limits.bodyTimeout applies to heads and bodies, and may exceed Node's limit of 5 minutes for both
  const limits = { maxHeaderSize: headBytesMax, connectionsCheckingInterval: 1_000, requestTimeout: 0 }
  const http = createServer(limits, (request, response) => {
    handleRequest(front, request, response).catch((error: unknown) => {
      // an answer that cannot be written (an adapter's `Response.error()`, say) ends only its own connection
      logger.error({ err: error }, 'an answer could not be written')
      response.destroy()
    })
  })
  http.keepAliveTimeout = keepAliveMs
  http.headersTimeout = front.limits.bodyTimeout
  return http
}

/**
 * Accepts no new connections, answers requests that arrive whole on open ones, and closes them by the end of the drain.
 */
async function finishRequests(
  http: Server,
  quick: QuickListener,
  { underWay, clock }: Front,
  fleet: Fleet,
): Promise<void> {
  const endsAt = clock.monotonic() + fleet.current.config.limits.drainTimeout
  const leftMs = () => Math.max(0, endsAt - clock.monotonic())
  await acceptWaiting(http, leftMs())
  const closed = closeListeners(http, quick)
  await within(Math.min(arrivalMaxMs, leftMs()), closed)
  const areAnswered = await underWay.released(leftMs())
  const cutOff = () => {
    http.closeAllConnections()
    quick.closeAll()
  }
  // an incomplete request must not be answered by a version that is ending
  if (areAnswered) cutOff()
  await fleet.drain(leftMs())
  http.close() // already closed to connections: this ends Node's check for slow ones
  await within(closeGraceMs, closed)
  cutOff()
  await closed
}

/** For requests that have arrived in part while nothing else keeps the server running. */
const arrivalMaxMs = 1_000
/** For writing the answers that a version gave as it ended. */
const closeGraceMs = 1_000

/** Refuses new connections; existing ones close with their next answer. Resolves when the last one has closed. */
function closeListeners(http: Server, quick: QuickListener): Promise<void> {
  return new Promise((resolve) => {
    // http.close() would also cut off answers that are still being sent
    NetServer.prototype.close.call(http, () => resolve())
    quick.close()
  })
}

async function within(limitMs: Milliseconds, closed: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const limit = setTimeout(resolve, limitMs)
  await Promise.race([closed, late])
  clearTimeout(limit)
}
