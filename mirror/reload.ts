import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../runtime/clock.ts'
import { loadSection } from '../runtime/config/load-config.ts'
import { ConfigError, type ConfigProblem } from '../runtime/config/problem.ts'
import type { Logger } from '../runtime/logger.ts'
import { Counter, Gauge, type Registry } from '../runtime/metrics-registry.ts'
import { type MirrorConfig, mirrorSchema } from './config.ts'

/** A config that was made ready beside the one in force. */
export interface Prepared {
  apply(): Promise<void>
  discard(): Promise<void>
}

export interface Reloadable {
  /** Rejects where something that the config names, such as a file, can't be had. */
  prepare(config: MirrorConfig): Promise<Prepared>
}

export interface ReloadOptions {
  file: string
  /** In force since the start. */
  config: MirrorConfig
  mirror: Reloadable
  registry: Registry
  logger: Logger
  clock: Clock
}

/** The settings that a stage is built from; all others are fixed for a process's life. */
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

/**
 * Reads the config file again and puts it in force as a whole, or not at all: where anything is wrong with it, or
 * anything changed in it that needs a restart, all of that is logged and the config in force stays.
 */
export class Reloader {
  readonly #options: ReloadOptions
  readonly #count: Counter
  readonly #loadedAt: Gauge
  #config: MirrorConfig
  #last: Promise<void> = Promise.resolve()

  constructor(options: ReloadOptions) {
    this.#options = options
    this.#config = options.config
    const registers = [options.registry]
    this.#count = new Counter({
      name: 'understudy_mirror_reloads_total',
      help: 'Reloads of the config, by result: applied, or refused and nothing changed',
      labelNames: ['result'],
      registers,
    })
    this.#loadedAt = new Gauge({
      name: 'understudy_mirror_config_timestamp_seconds',
      help: 'When the config in force was read',
      registers,
    })
    for (const result of ['applied', 'refused']) this.#count.inc({ result }, 0)
    this.#note()
  }

  get config(): MirrorConfig {
    return this.#config
  }

  /** One after another; never rejects. */
  reload(): Promise<void> {
    this.#last = this.#last.then(() => this.#reload())
    return this.#last
  }

  async #reload(): Promise<void> {
    const { file, logger, mirror } = this.#options
    try {
      const next = loadSection(file, 'mirror', mirrorSchema)
      const problems = restartProblems(this.#config, next)
      if (problems.length > 0) throw new ConfigError(file, problems)
      const changed = changedSettings(this.#config, next)
      const prepared = await mirror.prepare(next)
      await prepared.apply()
      this.#config = next
      this.#note()
      this.#count.inc({ result: 'applied' })
      logger.info({ file, changed }, 'the config was read again and is in force')
    } catch (error) {
      this.#count.inc({ result: 'refused' })
      const why = error instanceof ConfigError ? { problems: error.problems } : { err: error }
      logger.error({ file, ...why }, 'the config was read again and refused; the one before stays in force')
    }
  }

  #note(): void {
    this.#loadedAt.set(this.#options.clock.now() / 1000)
  }
}

export function changedSettings(before: MirrorConfig, after: MirrorConfig): (keyof MirrorConfig)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof MirrorConfig>
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

export function restartProblems(before: MirrorConfig, after: MirrorConfig): ConfigProblem[] {
  const problem = (path: string, value: unknown) => ({ path: `mirror.${path}`, value, expected })
  const problems = changedSettings(before, after)
    // certificates are read again from wherever they are now; to begin or cease to speak TLS is another matter
    .filter((name) => !liveSettings.has(name) && !(name === 'tls' && before.tls && after.tls))
    // so is its token, which whoever rotates it wants to
    .filter((name) => name !== 'comparator' || before.comparator?.url !== after.comparator?.url)
    // a token is none of the log's business
    .map((name) => problem(name, name === 'comparator' ? after.comparator?.url : after[name]))
  const { memoryMax } = after.capture
  return memoryMax === before.capture.memoryMax ? problems : [...problems, problem('capture.memoryMax', memoryMax)]
}

const expected = 'what it was at the start: a change needs a restart'
