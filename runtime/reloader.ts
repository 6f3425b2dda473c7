import { isDeepStrictEqual } from 'node:util'
import type { StaticDecode, TSchema } from 'typebox'
import { loadSection } from './config/load-config.ts'
import { ConfigError, type ConfigProblem } from './config/problem.ts'
import type { Logger } from './logger.ts'
import { Counter, Gauge, type Registry } from './metrics-registry.ts'

interface ReloaderOptions<Schema extends TSchema> {
  file: string
  section: string
  schema: Schema
  /** The config in force since the start. */
  config: StaticDecode<Schema>
  /** Changes of settings that are fixed for the life of the process. */
  restartProblems(before: StaticDecode<Schema>, after: StaticDecode<Schema>): ConfigProblem[]
  /** Applies the config as a whole, or rejects and changes nothing. */
  putInForce(config: StaticDecode<Schema>): Promise<void>
  /** Used in metric names (`understudy_SERVICE_…`); `reloaded` is used in their help. */
  service: string
  reloaded: string
  registry: Registry
  logger: Logger
}

/**
 * Reloads the config file and applies it as a whole, or not at all: if it has problems, or changes anything that needs
 * a restart, all of that is logged and the config in force stays.
 */
export class Reloader<Schema extends TSchema> {
  readonly #options: ReloaderOptions<Schema>
  readonly #count: Counter
  readonly #loadedAt: Gauge
  #config: StaticDecode<Schema>
  #last: Promise<void> = Promise.resolve()

  constructor(options: ReloaderOptions<Schema>) {
    const { config, service, reloaded, registry } = options
    this.#options = options
    this.#config = config
    const registers = [registry]
    this.#count = new Counter({
      name: `understudy_${service}_reloads_total`,
      help: `Reloads of ${reloaded}, by result: applied, or refused and nothing changed`,
      labelNames: ['result'],
      registers,
    })
    this.#loadedAt = new Gauge({
      name: `understudy_${service}_config_timestamp_seconds`,
      help: 'When the config in force was read',
      registers,
    })
    for (const result of ['applied', 'refused']) this.#count.inc({ result }, 0)
    this.#loadedAt.setToCurrentTime()
  }

  /** The config in force. */
  get config(): StaticDecode<Schema> {
    return this.#config
  }

  /** Reloads run one after another; never rejects. */
  reload(): Promise<void> {
    this.#last = this.#last.then(() => this.#reload())
    return this.#last
  }

  async #reload(): Promise<void> {
    const { file, section, schema, logger, restartProblems, putInForce } = this.#options
    try {
      const next = loadSection(file, section, schema)
      const problems = restartProblems(this.#config, next)
      if (problems.length > 0) throw new ConfigError(file, problems)
      const changed = changedSettings(this.#config as object, next as object)
      await putInForce(next)
      this.#config = next
      this.#loadedAt.setToCurrentTime()
      this.#count.inc({ result: 'applied' })
      logger.info({ file, changed }, 'the config was reloaded and is in force')
    } catch (error) {
      this.#count.inc({ result: 'refused' })
      const why = error instanceof ConfigError ? { problems: error.problems } : { err: error }
      logger.error({ file, ...why }, 'the reloaded config was refused; the previous one stays in force')
    }
  }
}

export function changedSettings<Config extends object>(before: Config, after: Config): (keyof Config)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Config>
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

/** The expectation reported for a setting that is fixed for the life of the process. */
export const sameAsAtStart = 'what it was at the start: a change needs a restart'
