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
 * Runs until a signal; SIGHUP reloads the config and the models. Once ready, sends `{ url }` to a parent that has an IPC
 * channel to it. Throws a `ConfigError` if the file is invalid, and an error that says what to do if the server cannot
 * start.
 */
export async function runCandidateServer(configFile: string): Promise<void> {
  const config = loadSection(configFile, 'candidateServer', candidateServerSchema)
  const logger = createLogger('candidate-server')
  const started = Promise.withResolvers<Reloader<typeof candidateServerSchema>>()
  // a SIGHUP while models are loading must neither end the process nor be lost
  process.on('SIGHUP', async () => (await started.promise).reload())
  const folders = [process.cwd(), dirname(resolve(configFile))]
  const server = await startCandidateServer({ config, logger, folders, pinFront: true })
  const reloader = createReloader(configFile, config, server, logger)
  started.resolve(reloader)
  stopOnSignals(server, logger, () => reloader.config.limits.drainTimeout + 10_000)
  // tells a parent the port that the system has assigned; one that has left meanwhile is no error
  if (process.connected) process.send!({ url: server.url }, undefined, undefined, () => {})
}
