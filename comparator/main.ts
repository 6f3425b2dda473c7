import { loadSection } from '../runtime/config/load-config.ts'
import { stopOnSignals } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import { comparatorSchema } from './config.ts'
import { startComparator } from './server.ts'

/** Runs the comparator until SIGTERM or SIGINT. Unlike the other services, it reads its config file only once. */
export async function runComparator(configFile: string): Promise<void> {
  const logger = createLogger('comparator')
  // SIGHUP makes the other services reload their config; without a listener it would kill this one before it drains
  process.on('SIGHUP', () => logger.warn('SIGHUP does nothing here: restart to apply a config change'))
  const config = loadSection(configFile, 'comparator', comparatorSchema)
  const starting = startComparator({
    config,
    logger,
    // there may be clients from here on, whose requests a signal must not cut off
    onListening: () => stopOnSignals({ stop: async () => (await starting).stop() }, logger),
  })
  await starting
}
