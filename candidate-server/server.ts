import { createServer, type Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import packageJson from '../package.json' with { type: 'json' }
import { acceptWaiting } from '../runtime/accept-waiting.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { Lifecycle } from '../runtime/lifecycle.ts'
import { listen } from '../runtime/listen.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Registry } from '../runtime/metrics-registry.ts'
import type { Milliseconds } from '../vocabulary/units.ts'
import { createMetrics } from './candidate-metrics.ts'
import type { CandidateServerConfig } from './config.ts'
import { FrontPinning } from './cpu/front-pinning.ts'
import { createPinKeeper } from './cpu/keep-pinned.ts'
import { readTopology, type Topology } from './cpu/topology.ts'
import { watchCpus } from './cpu/watch-cpus.ts'
import { Fleet, type NextFleet } from './fleet/fleet.ts'
import { runningPlan } from './fleet/running-plan.ts'
import { createFront, type Front } from './http/front.ts'
import { handleRequest } from './http/handle-request.ts'
import { openQuickDoor, type QuickDoor } from './http/quick-door.ts'
import { keepAliveMs } from './http/response-bytes.ts'
import { refuseMusl } from './instance/refuse-musl.ts'
import { freeLargeBodies } from './young-memory.ts'

export interface CandidateServerOptions {
  config: CandidateServerConfig
  logger: Logger
  clock?: Clock
  /** Folders that relative model and adapter paths are looked for in; the working directory by default. */
  folders?: string[]
  /** What the process may use; asked again every `cpu.watch`. */
  readTopology?: () => Topology
  /** Pins the calling process as well, to what the plan leaves for the front: where it is the server's own. */
  pinFront?: boolean
}

export interface CandidateServer {
  url: string
  registry: Registry
  /**
   * Puts another config in force as a whole, or rejects with an error that says what to do and changes nothing. Also
   * takes up model files that have changed. Requests that came before are answered by the version that they met.
   */
  reload(config: CandidateServerConfig): Promise<void>
  /** No new connections → what comes whole on those there are is answered → they are closed → instances ended. */
  stop(): Promise<void>
}

/** Rejects with an error that says what to do where the plan does not fit, a model cannot be loaded or the port is taken. */
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
    /** One change after another: `to` is asked for the config once those before are over. */
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
    const door = openQuickDoor(http, front)
    const url = await listen(http, config.listen)
    lifecycle.onStop('requests', () => finishRequests(http, door, front, fleet))
    logger.info({ url, models: config.models.map(({ name }) => name) }, 'the candidate server is ready')
    return { url, registry: metrics.registry, reload: (next) => change(() => next), stop: () => lifecycle.stop() }
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

/** What the front answers with while a fleet is in force. */
function servedBy({ config, models }: NextFleet) {
  return {
    models: new Map(models.map((running) => [running.served.name, running])),
    adapterPaths: new Map(config.models.flatMap(({ name, paths }) => paths.map((path) => [path, name] as const))),
    limits: config.limits,
  }
}

/** For what `quick-connection.ts` does not read itself. */
function createHttp(front: Front, logger: Logger): Server {
  // heads and bodies have a limit of ours, and may take longer than Node's 5 minutes for both
  const http = createServer({ connectionsCheckingInterval: 1_000, requestTimeout: 0 }, (request, response) => {
    handleRequest(front, request, response).catch((error: unknown) => {
      // an answer that cannot be written, such as an adapter's `Response.error()`, ends its own connection only
      logger.error({ err: error }, 'an answer could not be written')
      response.destroy()
    })
  })
  http.keepAliveTimeout = keepAliveMs
  http.headersTimeout = front.limits.bodyTimeout
  return http
}

/** Takes no new connections, answers what comes whole on those there are, and closes them; by the drain's end at the latest. */
async function finishRequests(http: Server, door: QuickDoor, { underWay, clock }: Front, fleet: Fleet): Promise<void> {
  const endsAt = clock.monotonic() + fleet.current.config.limits.drainTimeout
  const leftMs = () => Math.max(0, endsAt - clock.monotonic())
  await acceptWaiting(http, leftMs())
  const closed = closeDoor(http, door)
  await within(Math.min(arrivalMaxMs, leftMs()), closed)
  await underWay.released(leftMs())
  const cutOff = () => {
    http.closeAllConnections()
    door.closeAll()
  }
  // nobody is owed an answer: what is not whole yet must not get that of a version that ends
  if (leftMs() > 0) cutOff()
  await fleet.drain(leftMs())
  http.close() // it has ended already: this ends its watch over slow connections
  await within(closeGraceMs, closed)
  cutOff()
  await closed
}

/** For requests of which a part has come, and that nothing else keeps the server for. */
const arrivalMaxMs = 1_000
/** For answers to be written that a version gave as it ended. */
const closeGraceMs = 1_000

/** For new connections; those there are end with their next answer. Resolves once the last one has. */
function closeDoor(http: Server, door: QuickDoor): Promise<void> {
  return new Promise((resolve) => {
    // its own way also cuts off answers that are on their way to the client
    NetServer.prototype.close.call(http, () => resolve())
    door.close()
  })
}

async function within(limitMs: Milliseconds, closed: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const limit = setTimeout(resolve, limitMs)
  await Promise.race([closed, late])
  clearTimeout(limit)
}
