import type { ConfigProblem } from '../runtime/config/problem.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Registry } from '../runtime/metrics-registry.ts'
import { changedSettings, Reloader, sameAsAtStart } from '../runtime/reloader.ts'
import { type MirrorConfig, mirrorSchema } from './config.ts'

/** A new config, prepared beside the one in force. */
export interface Prepared {
  apply(): Promise<void>
  discard(): Promise<void>
}

export interface Reloadable {
  registry: Registry
  /** Rejects if something that the config names, such as a file, is not available. */
  prepare(config: MirrorConfig): Promise<Prepared>
}

export function createReloader(file: string, config: MirrorConfig, mirror: Reloadable, logger: Logger) {
  return new Reloader({
    file,
    section: 'mirror',
    schema: mirrorSchema,
    config,
    restartProblems,
    putInForce: async (next) => (await mirror.prepare(next)).apply(),
    service: 'mirror',
    reloaded: 'the config',
    registry: mirror.registry,
    logger,
  })
}

/** The settings that a stage is built from. All others are fixed for the life of the process. */
const liveSettings: ReadonlySet<string> = new Set<keyof MirrorConfig>([
  'accessLog',
  'capture',
  'drain',
  'forwarder',
  'headers',
  'idleTimeout',
  'primary',
  'quietAfter',
  'routes',
  'shadow',
  'timeout',
])

export function restartProblems(before: MirrorConfig, after: MirrorConfig): ConfigProblem[] {
  const problem = (path: string, value: unknown) => ({ path: `mirror.${path}`, value, expected: sameAsAtStart })
  const problems = changedSettings(before, after)
    // a reload may move certificates but not switch TLS on or off
    .filter((name) => !liveSettings.has(name) && !(name === 'tls' && before.tls && after.tls))
    // the comparator's token may change: tokens get rotated
    .filter((name) => name !== 'comparator' || before.comparator?.url !== after.comparator?.url)
    // keeps the token out of the log
    .map((name) => problem(name, name === 'comparator' ? after.comparator?.url : after[name]))
  const { memoryMax } = after.capture
  return memoryMax === before.capture.memoryMax ? problems : [...problems, problem('capture.memoryMax', memoryMax)]
}
