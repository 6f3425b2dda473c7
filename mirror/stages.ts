import type { Logger } from '../runtime/logger.ts'
import type { Stage } from './stage.ts'

/** The current stage, which takes new requests, and earlier ones on which requests are still under way. */
export class Stages {
  readonly #logger: Logger
  readonly #retiring = new Set<Stage>()
  #current: Stage

  constructor(first: Stage, logger: Logger) {
    this.#current = first
    this.#logger = logger
  }

  get current(): Stage {
    return this.#current
  }

  get all(): Stage[] {
    return [this.#current, ...this.#retiring]
  }

  get requestsInFlight(): number {
    return this.all.reduce((sum, stage) => sum + stage.requestsInFlight, 0)
  }

  get openExchanges(): number {
    return this.all.reduce((sum, stage) => sum + stage.openExchanges, 0)
  }

  replace(next: Stage): void {
    const last = this.#current
    this.#current = next
    this.#retiring.add(last)
    last
      .retire()
      .catch((error: unknown) => this.#logger.error({ err: error }, 'a stage could not be closed'))
      .finally(() => this.#retiring.delete(last))
  }
}
