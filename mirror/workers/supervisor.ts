import { Lifecycle } from '../../runtime/lifecycle.ts'
import { listen, urlOf } from '../../runtime/listen.ts'
import type { Logger } from '../../runtime/logger.ts'
import { Counter, createRegistry, metricsOnDemand } from '../../runtime/metrics-registry.ts'
import { startPeriodic } from '../../runtime/periodic.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { createAdminServer } from '../admin.ts'
import type { MirrorConfig } from '../config.ts'
import type { Reloadable } from '../reload.ts'
import { mergeMetrics } from './merge-metrics.ts'
import { mergeRouting } from './merge-routing.ts'
import { alarmLog, commonAlarms } from './quiet-alarms.ts'
import { SharedPort, unservedReasons } from './shared-port.ts'
import { addAccounts } from './worker-ledger.ts'
import { WorkerSlot } from './worker-slot.ts'

const lookEveryMs: Milliseconds = 1000

interface Supervisor extends Reloadable {
  url: string
  adminUrl: string
  stop(): Promise<void>
  /** Once stopped: whether a worker ended abnormally. */
  readonly wasCut: boolean
}

/** Signals of the end, for a supervisor that may still be starting. */
interface EndSignals {
  /** `stop` will follow. */
  stopping: AbortSignal
  /** Aborts as the last act of a process that exits at once. */
  abandoned: AbortSignal
}

/**
 * Runs several processes as one mirror. The supervisor carries no traffic: it owns the port, whose connections it hands
 * out, and the admin port, where it answers for all workers. It replaces workers that die.
 *
 * Rejects if a worker can't start.
 */
export async function startSupervisor(
  config: MirrorConfig,
  logger: Logger,
  endSignals: EndSignals,
): Promise<Supervisor> {
  const lifecycle = new Lifecycle(logger)
  try {
    return await start(config, logger, lifecycle, endSignals)
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}

async function start(
  first: MirrorConfig,
  logger: Logger,
  lifecycle: Lifecycle,
  { stopping, abandoned }: EndSignals,
): Promise<Supervisor> {
  let config = first
  const registry = createRegistry()
  const registers = [registry]
  const deaths = new Counter({
    name: 'understudy_mirror_worker_deaths_total',
    help: 'Workers that died and were replaced',
    registers,
  })
  const unserved = new Counter({
    name: 'understudy_mirror_unserved_total',
    help: 'Clients that no worker served, by reason: too many were waiting, they waited too long, or the worker died',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of unservedReasons) unserved.inc({ reason }, 0)
  const { gauge } = metricsOnDemand(registry)
  gauge('understudy_mirror_workers', 'Workers now serving', () => slots.filter(({ isUp }) => isUp).length)
  gauge('understudy_mirror_waiting_clients', 'Clients waiting for a worker', () => port.waiting)

  const slots: WorkerSlot[] = Array.from(
    { length: config.workers },
    (_, number) =>
      new WorkerSlot({
        number,
        logger,
        config: () => config,
        free: () => port.next(),
        died: () => deaths.inc(),
      }),
  )
  const port = new SharedPort(slots, (reason) => unserved.inc({ reason }))
  // a supervisor that exits without waiting tells the workers to leave at once too; without this message they would
  // drain
  process.once('exit', () => {
    if (stopping.aborted) for (const slot of slots) slot.requestStop()
  })
  // a worker in an endless loop or a hanging call has not heard the message
  abandoned.addEventListener('abort', () => {
    for (const slot of slots) slot.kill()
  })

  const reportAll = () => Promise.all(slots.map((slot) => slot.report()))
  const accounts = () => addAccounts(slots.map(({ ledger }) => ledger.accounts()))
  const alarms = () => commonAlarms(slots.flatMap(({ state }) => (state ? [state.readiness.alarms] : [])))
  const admin = createAdminServer({
    async readiness() {
      const ready = (await reportAll()).filter((isThere) => isThere).length
      const workers = { ready, configured: slots.length }
      return { isReady: ready > 0 && !stopping.aborted, alarms: alarms(), workers }
    },
    async ledger() {
      await reportAll()
      return accounts()
    },
    async routing() {
      await reportAll()
      return mergeRouting(slots.flatMap(({ state }) => state?.routing ?? []))
    },
    async metrics() {
      await reportAll()
      const own = await registry.getMetricsAsJSON()
      return mergeMetrics([...slots.flatMap(({ metrics }) => metrics), own], accounts())
    },
  })

  lifecycle.onStop('admin', () => {
    admin.close()
    admin.closeAllConnections()
  })
  lifecycle.onStop('workers', () => Promise.all(slots.map((slot) => slot.stop())))
  lifecycle.onStop('connections', () => port.drain(config.drain))
  const adminUrl = await listen(admin, config.admin)
  // if the end was announced already, no clients are served
  if (!stopping.aborted) {
    config = { ...first, listen: { ...first.listen, port: await port.open(first.listen) } }
    await Promise.all(slots.map((slot) => slot.start()))
  }
  const url = urlOf(config.listen, config.tls ? 'https' : 'http')
  const logAlarms = alarmLog(logger)
  lifecycle.onStop(
    'alarms',
    // if no worker reports, nothing is known, which does not end an alarm
    startPeriodic('alarms', lookEveryMs, async () => slots.some(({ state }) => state) && logAlarms(alarms()), logger),
  )

  return {
    url,
    adminUrl,
    registry,
    stop: () => lifecycle.stop(),
    get wasCut() {
      return slots.some(({ wasCut }) => wasCut)
    },
    async prepare(next) {
      const ready = { ...next, listen: config.listen }
      const prepared = await Promise.allSettled(slots.map((slot) => slot.prepare(ready)))
      const discard = async () => {
        for (const slot of slots) slot.discard()
      }
      const refusal = prepared.find((result) => result.status === 'rejected')
      if (refusal) {
        await discard()
        throw refusal.reason
      }
      return {
        discard,
        async apply() {
          config = ready
          await Promise.all(slots.map((slot) => slot.putInForce(ready)))
        },
      }
    },
  }
}
