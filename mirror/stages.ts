import type { Milliseconds } from '../vocabulary/units.ts'
import { warnOfNarrowMemory } from './capture/narrow-memory.ts'
import type { MirrorConfig } from './config.ts'
import { breakerLog } from './shadow/breaker-log.ts'
import { Stage, type StageContext } from './stage.ts'

/** The current stage, which takes new requests, and earlier ones on which requests are still under way. */
export class Stages {
  readonly #context: StageContext
  readonly #logBreakers: ReturnType<typeof breakerLog>
  /** Warns of settings that all workers share: only the first of them says it. */
  readonly #isFirst: boolean
  readonly #retiring = new Set<Stage>()
  #current: Stage

  constructor(config: MirrorConfig, context: Omit<StageContext, 'breakerTurned'>, isFirst: boolean) {
    this.#context = { ...context, breakerTurned: () => this.#logBreakers(this.#current.understudies) }
    this.#logBreakers = breakerLog(context.logger)
    this.#isFirst = isFirst
    this.#current = new Stage(config, this.#context)
    this.#announce(this.#current)
  }

  get current(): Stage {
    return this.#current
  }

  get requestsInFlight(): number {
    return this.#all.reduce((sum, stage) => sum + stage.requestsInFlight, 0)
  }

  get openExchanges(): number {
    return this.#all.reduce((sum, stage) => sum + stage.openExchanges, 0)
  }

  /** A stage to replace the current one, or to be closed. Throws if a file that the config names can't be read. */
  build(config: MirrorConfig): Stage {
    return new Stage(config, this.#context, this.#current)
  }

  replace(next: Stage): void {
    this.#announce(next)
    const last = this.#current
    this.#current = next
    this.#retiring.add(last)
    last
      .retire()
      .catch((error: unknown) => this.#context.logger.error({ err: error }, 'a stage could not be closed'))
      .finally(() => this.#retiring.delete(last))
  }

  async drainShadows(deadlineMs: Milliseconds): Promise<void> {
    await Promise.all(this.#all.map((stage) => stage.drainShadows(deadlineMs)))
  }

  closeConnections(): void {
    for (const stage of this.#all) stage.closeConnections()
  }

  get #all(): Stage[] {
    return [this.#current, ...this.#retiring]
  }

  #announce({ config, understudies, mirrored }: Stage): void {
    const { ledger, logger } = this.#context
    this.#logBreakers(understudies)
    for (const { validation } of mirrored) ledger.open(validation)
    if (this.#isFirst && mirrored.length > 0) warnOfNarrowMemory(config.capture, logger)
  }
}
