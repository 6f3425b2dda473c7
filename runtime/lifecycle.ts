import type { Milliseconds } from '../vocabulary/units.ts'
import type { Logger } from './logger.ts'

type Release = () => unknown

/** Resources of one service, released last-in first-out. `stop` may be called any number of times. */
export class Lifecycle {
  readonly #abort = new AbortController()
  readonly #releases: { name: string; release: Release }[] = []
  readonly #logger: Logger
  #stopping: Promise<void> | undefined

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Aborted the moment that `stop` is called. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  onStop(name: string, release: Release): void {
    this.#releases.push({ name, release })
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#releaseAll()
    return this.#stopping
  }

  async #releaseAll(): Promise<void> {
    this.#abort.abort()
    for (const { name, release } of this.#releases.reverse()) {
      try {
        await release()
      } catch (error) {
        this.#logger.error({ err: error, resource: name }, 'a resource could not be released')
      }
    }
  }
}

/** A service that is up, and how to end it. */
export interface RunningService {
  stop(): Promise<void>
  /** Once stopped: whether something was cut short that should have come to its own end. */
  readonly wasCut?: boolean
  /** Once it leaves at once, and as the last thing: ends what would outlive it. */
  abandon?(): void
}

/** Who writes to a slow disk is through with it by then; who writes to one that hangs is not. */
const lastWritesMs: Milliseconds = 1000

type Deadline = Milliseconds | (() => Milliseconds)

/**
 * SIGTERM and SIGINT drain, a second signal or the deadline ends at once. The process exits with 0 once drained, 1 where
 * that cut something short; one that ends at once kills itself, within a second. A service that was started with a channel
 * to its parent drains when the parent is gone.
 */
export function stopOnSignals(service: RunningService, logger: Logger, deadlineMs: Deadline = 30_000): void {
  const leave = leaving(service, logger, deadlineMs)
  process.on('SIGTERM', leave)
  process.on('SIGINT', leave)
  if (process.connected) process.once('disconnect', () => leave('disconnect'))
  else if (process.send) leave('disconnect')
}

/** Stops the service and ends the process, at once when called again. */
export function leaving(service: RunningService, logger: Logger, deadline: Deadline): (cause: string) => void {
  let stopping = false
  return (cause) => {
    if (stopping) {
      logger.warn({ cause }, 'told a second time: leaving at once')
      endAtOnce(service)
    }
    stopping = true
    const deadlineMs = typeof deadline === 'number' ? deadline : deadline()
    logger.info({ cause, deadlineMs }, 'draining')
    const timer = setTimeout(() => {
      logger.error({ deadlineMs }, 'not drained by the deadline')
      endAtOnce(service)
    }, deadlineMs)
    timer.unref()
    service.stop().then(
      () => {
        if (service.wasCut) logger.warn('stopped, and cut short what did not end by itself')
        else logger.info('stopped')
        process.exit(service.wasCut ? 1 : 0)
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
}

/**
 * What Node's threads are writing becomes whole, the last words and a bundle of the spool, and nothing more is begun. An
 * exit alone would wait for them without an end, as long as a disk hangs.
 */
function endAtOnce(service: RunningService): never {
  // behind all others who listen for the end
  process.once('exit', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastWritesMs)
    service.abandon?.()
    process.kill(process.pid, 'SIGKILL')
  })
  process.exit(1)
}
