import packageJson from '../package.json' with { type: 'json' }
import { systemClock } from '../runtime/clock.ts'
import { Lifecycle } from '../runtime/lifecycle.ts'
import { listen } from '../runtime/listen.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Registry } from '../runtime/metrics-registry.ts'
import { createMetrics } from './candidate-metrics.ts'
import type { CandidateServerConfig } from './config.ts'
import { FrontPinning } from './cpu/front-pinning.ts'
import { readCpuLimits, readTopology, type Topology } from './cpu/topology.ts'
import { watchCpus } from './cpu/watch-cpus.ts'
import { finishRequests } from './finish-requests.ts'
import { Fleet, type NextFleet } from './fleet/fleet.ts'
import { createPinKeeper } from './fleet/keep-pinned.ts'
import { runningPlan } from './fleet/running-plan.ts'
import { freeLargeBodies } from './free-large-bodies.ts'
import { createFront } from './http/front.ts'
import { createNodeServer } from './http/node-server.ts'
import { createQuickListener } from './http/quick-listener.ts'
import { refuseSystem } from './instance/refuse-system.ts'
import { encodePath } from './paths.ts'

export interface CandidateServerOptions {
  config: CandidateServerConfig
  logger: Logger
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
  const { config, logger, folders = [process.cwd()], pinFront = false } = options
  const pinning = pinFront ? new FrontPinning() : undefined
  const topologyNow = options.readTopology ?? (() => pinning?.readTopology() ?? readTopology())
  refuseSystem()
  const lifecycle = new Lifecycle(logger)
  const fleet = new Fleet({ folders, clock: systemClock, logger })
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
      clock: systemClock,
      logger,
    })
    for (const { served } of first.models) metrics.attach(served)

    let last: Promise<unknown> = Promise.resolve()
    /** Runs one change at a time; `prepare` is called when the previous changes are done. */
    const change = (prepare: () => Promise<NextFleet>) => {
      const changed = last.then(async () => {
        const ready = await prepare()
        if (lifecycle.signal.aborted) return fleet.discard(ready)
        for (const { served } of ready.started) metrics.attach(served)
        Object.assign(front, servedBy(ready))
        http.headersTimeout = ready.config.limits.bodyTimeout
        fleet.takeOver(ready)
        await pinning?.pin(ready.plan.frontCpus)
      })
      last = changed.catch(() => undefined)
      return changed
    }
    lifecycle.onStop('changes under way', () => last)
    const watch = watchCpus({
      everyMs: config.cpu.watch,
      read: options.readTopology ?? (() => pinning?.readLimits() ?? readCpuLimits()),
      planned: () => fleet.current.topology,
      replan: () => change(() => fleet.prepareMove(topologyNow())),
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
    const http = createNodeServer(front)
    const quick = createQuickListener(http, front)
    const url = await listen(http, config.listen)
    lifecycle.onStop('requests', () => finishRequests(http, quick, front, fleet))
    logger.info({ url, models: config.models.map(({ name }) => name) }, 'the candidate server is ready')
    return {
      url,
      registry: metrics.registry,
      reload: (next) => change(() => fleet.prepare(next, topologyNow())),
      stop: () => lifecycle.stop(),
    }
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

/** The parts of the front that depend on the current fleet. */
function servedBy({ config, models }: NextFleet) {
  return {
    models: new Map(models.map((running) => [running.served.name, running])),
    adapterPaths: new Map(
      config.models.flatMap(({ name, paths }) => paths.map((path) => [encodePath(path), name] as const)),
    ),
    limits: config.limits,
  }
}
