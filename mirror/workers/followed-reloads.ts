import { isDeepStrictEqual } from 'node:util'
import type { MirrorConfig } from '../config.ts'
import type { Prepared, Reloadable } from '../reload.ts'

/**
 * A worker's side of reloads: one call at a time, in the supervisor's order. A call that the supervisor no longer waits
 * for may still be running, or may arrive together with later ones after the worker was held up.
 */
export class FollowedReloads {
  readonly #mirror: Reloadable
  #config: MirrorConfig
  #prepared: { config: MirrorConfig; stage: Prepared } | undefined
  #last: Promise<void> = Promise.resolve()

  /** `config`: the one that the mirror was started with. */
  constructor(mirror: Reloadable, config: MirrorConfig) {
    this.#mirror = mirror
    this.#config = config
  }

  /** The config in force. */
  get config(): MirrorConfig {
    return this.#config
  }

  prepare(config: MirrorConfig): Promise<void> {
    return this.#inTurn(() => this.#prepare(config))
  }

  /**
   * Prepares `config` first if another or none is prepared: a new worker catches up while the next reload is being
   * prepared.
   */
  apply(config: MirrorConfig): Promise<void> {
    return this.#inTurn(async () => {
      if (!isDeepStrictEqual(this.#prepared?.config, config)) await this.#prepare(config)
      await this.#prepared!.stage.apply()
      this.#config = config
      this.#prepared = undefined
    })
  }

  discard(): Promise<void> {
    return this.#inTurn(() => this.#forget())
  }

  async #prepare(config: MirrorConfig): Promise<void> {
    await this.#forget()
    this.#prepared = { config, stage: await this.#mirror.prepare(config) }
  }

  async #forget(): Promise<void> {
    const prepared = this.#prepared
    this.#prepared = undefined
    await prepared?.stage.discard()
  }

  #inTurn(call: () => Promise<void>): Promise<void> {
    const done = this.#last.then(call)
    this.#last = done.catch(() => {})
    return done
  }
}
