import { loadSection } from '../runtime/config/load-config.ts'
import { stopOnSignals } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import { comparatorSchema } from './config.ts'
import { startComparator } from './server.ts'

/** Runs the comparator of a config file until a signal ends it. */
export async function runComparator(configFile: string): Promise<void> {
  const logger = createLogger('comparator')
  const config = loadSection(configFile, 'comparator', comparatorSchema)
  stopOnSignals(await startComparator({ config, logger }), logger)
}
