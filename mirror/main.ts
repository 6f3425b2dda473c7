import '../runtime/heap-flags.ts'
import { loadSection } from '../runtime/config/load-config.ts'
import { stopOnSignals } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import type { Reloader } from '../runtime/reloader.ts'
import { primaryOf } from './config/upstream.ts'
import { mirrorSchema } from './config.ts'
import { spreadRouting } from './delivery/arrange-spools.ts'
import { openingSpool } from './delivery/open-spool.ts'
import { isDiskBusy } from './disk.ts'
import { createReloader } from './reload.ts'
import { startMirror, stopLimitMs } from './server.ts'
import { startSupervisor } from './workers/supervisor.ts'

/**
 * Runs the mirror that the config file describes, until SIGTERM or SIGINT; SIGHUP reloads the file. Throws a
 * `ConfigError` before anything has started.
 */
export async function runMirror(configFile: string): Promise<void> {
  const config = loadSection(configFile, 'mirror', mirrorSchema)
  const logger = createLogger('mirror')
  const { workers, spool, comparator, primary, routes } = config

  const started = Promise.withResolvers<Reloader<typeof mirrorSchema>>()
  // a SIGHUP during the start must neither end the process nor be lost
  process.on('SIGHUP', async () => (await started.promise).reload())
  if (comparator) {
    logger.info({ dir: spool.dir }, openingSpool)
    if (workers > 1) await spreadRouting(spool.dir, workers, logger)
  }
  const [stopping, abandoned] = [new AbortController(), new AbortController()]
  const endSignals = { stopping: stopping.signal, abandoned: abandoned.signal }
  const starting = workers > 1 ? startSupervisor(config, logger, endSignals) : startMirror({ config, logger })
  let mirror: Awaited<typeof starting> | undefined
  let reloader: Reloader<typeof mirrorSchema> | undefined
  const service = {
    async stop() {
      stopping.abort()
      await (await starting).stop()
    },
    abandon: () => abandoned.abort(),
    get wasCut() {
      return mirror?.wasCut ?? false
    },
    get isDiskHanging() {
      return isDiskBusy()
    },
  }
  // there may be clients from here on: one worker serves while another starts
  stopOnSignals(service, logger, () => stopLimitMs(reloader?.config ?? config))
  mirror = await starting
  if (stopping.signal.aborted) return
  const { url, adminUrl } = mirror
  reloader = createReloader(configFile, config, mirror, logger)
  started.resolve(reloader)
  const primaries = primaryOf(primary).urls
  logger.info({ url, adminUrl, workers, primaries, routes: routes.length }, 'the mirror is ready')
}
