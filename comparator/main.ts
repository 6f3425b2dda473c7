import { loadSection } from '../runtime/config/load-config.ts'
import { stopOnSignals } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import { comparatorSchema } from './config.ts'
import { startComparator } from './server.ts'

/** Runs the comparator of a config file until SIGTERM or SIGINT; unlike the other services it reads the file once. */
export async function runComparator(configFile: string): Promise<void> {
  const logger = createLogger('comparator')
  // without a listener the signal that has the other services read their config again ends this one undrained
  process.on('SIGHUP', () => logger.warn('SIGHUP changes nothing here: a change of the config needs a restart'))
  const config = loadSection(configFile, 'comparator', comparatorSchema)
  stopOnSignals(await startComparator({ config, logger }), logger)
}
