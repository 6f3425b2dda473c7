import '../runtime/heap-flags.ts'
import { dirname, resolve } from 'node:path'
import { loadSection } from '../runtime/config/load-config.ts'
import { stopOnSignals } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import type { Reloader } from '../runtime/reloader.ts'
import { candidateServerSchema } from './config.ts'
import { createReloader } from './reload.ts'
import { startCandidateServer } from './server.ts'

/**
 * Runs until a signal; SIGHUP reads the config and the models again. Throws a `ConfigError` on a bad file, and an
 * error that says what to do where it cannot start.
 */
export async function runCandidateServer(configFile: string): Promise<void> {
  const config = loadSection(configFile, 'candidateServer', candidateServerSchema)
  const logger = createLogger('candidate-server')
  // before it is ready, the signal's default would end it
  let reloader: Reloader<typeof candidateServerSchema> | undefined
  process.on('SIGHUP', () => void reloader?.reload())
  const folders = [process.cwd(), dirname(resolve(configFile))]
  const server = await startCandidateServer({ config, logger, folders, pinFront: true })
  const inForce = createReloader(configFile, config, server, logger)
  reloader = inForce
  stopOnSignals(server, logger, () => inForce.config.limits.drainTimeout + 10_000)
}
