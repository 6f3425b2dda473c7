import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../runtime/clock.ts'
import { loadSection } from '../runtime/config/load-config.ts'
import { ConfigError, type ConfigProblem } from '../runtime/config/problem.ts'
import type { Logger } from '../runtime/logger.ts'
import { Counter, Gauge, type Registry } from '../runtime/metrics-registry.ts'
import { type CandidateServerConfig, candidateServerSchema } from './config.ts'

export interface ReloadOptions {
  file: string
  /** In force since the start. */
  config: CandidateServerConfig
  server: { reload(config: CandidateServerConfig): Promise<void>; registry: Registry }
  logger: Logger
  clock: Clock
}

/**
 * Reads the config file again and puts it in force as a whole, or not at all: where anything is wrong with it, a model
 * of it cannot be loaded, or anything changed in it that needs a restart, that is logged and what was in force stays.
 */
export class Reloader {
  readonly #options: ReloadOptions
  readonly #count: Counter
  readonly #loadedAt: Gauge
  #config: CandidateServerConfig
  #last: Promise<void> = Promise.resolve()

  constructor(options: ReloadOptions) {
    this.#options = options
    this.#config = options.config
    const registers = [options.server.registry]
    this.#count = new Counter({
      name: 'understudy_candidate_reloads_total',
      help: 'Reloads of the config and the models, by result: applied, or refused and nothing changed',
      labelNames: ['result'],
      registers,
    })
    this.#loadedAt = new Gauge({
      name: 'understudy_candidate_config_timestamp_seconds',
      help: 'When the config in force was read',
      registers,
    })
    for (const result of ['applied', 'refused']) this.#count.inc({ result }, 0)
    this.#note()
  }

  /** In force. */
  get config(): CandidateServerConfig {
    return this.#config
  }

  /** One after another; never rejects. */
  reload(): Promise<void> {
    this.#last = this.#last.then(() => this.#reload())
    return this.#last
  }

  async #reload(): Promise<void> {
    const { file, logger, server } = this.#options
    try {
      const next = loadSection(file, 'candidateServer', candidateServerSchema)
      const problems = restartProblems(this.#config, next)
      if (problems.length > 0) throw new ConfigError(file, problems)
      await server.reload(next)
      this.#config = next
      this.#note()
      this.#count.inc({ result: 'applied' })
      logger.info({ file }, 'the config was read again and is in force')
    } catch (error) {
      this.#count.inc({ result: 'refused' })
      const why = error instanceof ConfigError ? { problems: error.problems } : { err: error }
      logger.error({ file, ...why }, 'the config was read again and refused; what was before stays in force')
    }
  }

  #note(): void {
    this.#loadedAt.set(this.#options.clock.now() / 1000)
  }
}

/** What is fixed for a process's life. */
export function restartProblems(before: CandidateServerConfig, after: CandidateServerConfig): ConfigProblem[] {
  const fixed: [string, unknown, unknown][] = [
    ['listen', before.listen, after.listen],
    ['cpu.watch', before.cpu.watch, after.cpu.watch],
    ['limits.bodiesMax', before.limits.bodiesMax, after.limits.bodiesMax],
  ]
  return fixed
    .filter(([, was, is]) => !isDeepStrictEqual(was, is))
    .map(([path, , value]) => ({
      path: `candidateServer.${path}`,
      value,
      expected: 'what it was at the start: a change needs a restart',
    }))
}
