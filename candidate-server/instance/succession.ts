import type { InstanceProcess } from './instance-process.ts'
import type { LoadedModel } from './messages.ts'

interface SuccessionOptions {
  spawn: () => InstanceProcess
  /** Throws if the successor has a different model. */
  check: (model: LoadedModel) => void
  /** A successor is ready; it was started because of this limit. */
  onReady: (limit: string) => void
  /** The successor failed; `why` is for the log. */
  onFailed: (why: object) => void
}

/** The successor of a process that is to be recycled: it loads beside it and then waits to take its place. */
export class Succession {
  readonly #options: SuccessionOptions
  #successor: { process: InstanceProcess; loaded: boolean } | undefined

  constructor(options: SuccessionOptions) {
    this.#options = options
  }

  get isUnderWay(): boolean {
    return this.#successor !== undefined
  }
  get isReady(): boolean {
    return this.#successor?.loaded === true
  }

  async start(limit: string): Promise<void> {
    const { spawn, check, onReady, onFailed } = this.#options
    let process: InstanceProcess | undefined
    try {
      process = spawn()
      const successor = { process, loaded: false }
      this.#successor = successor
      check(await process.load())
      successor.loaded = true
      void process.ended.then((reason) => this.#forget(successor, reason))
      onReady(limit)
    } catch (error) {
      this.#successor = undefined
      process?.kill('it could not be put into service')
      onFailed({ err: error })
    }
  }

  /** Returns the ready process, which then is no longer a successor. */
  take(): InstanceProcess | undefined {
    if (!this.isReady) return undefined
    const { process } = this.#successor!
    this.#successor = undefined
    return process
  }

  async stop(): Promise<void> {
    await this.#successor?.process.stop()
  }

  /** Drops a successor that has ended: put into service, it would lose the next batch. */
  #forget(successor: object, reason: string): void {
    if (this.#successor !== successor) return
    this.#successor = undefined
    this.#options.onFailed({ reason })
  }
}
