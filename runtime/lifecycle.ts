import type { Milliseconds } from '../vocabulary/units.ts'
import type { Logger } from './logger.ts'

type Release = () => unknown

/** Resources of one service, released last-in first-out. `stop` is idempotent. */
export class Lifecycle {
  readonly #abort = new AbortController()
  readonly #releases: { name: string; release: Release }[] = []
  readonly #logger: Logger
  #stopping: Promise<void> | undefined

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Aborts when `stop` is called. */
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

/** A running service and how to stop it. */
export interface RunningService {
  stop(): Promise<void>
  /** Once stopped: whether something was cut short that should have finished. */
  readonly wasCut?: boolean
  /** Once stopped: whether a call of the disk has not returned. A plain exit would wait for it. */
  readonly isDiskHanging?: boolean
  /** Called last when the process exits at once: ends what would outlive it. */
  abandon?(): void
}

/** Long enough to finish a write to a slow disk, though not to one that hangs. */
const lastWritesMs: Milliseconds = 1000

/** `timeout` and others signal both the process and its group, milliseconds apart; no person is as quick. */
const sameSignalMs: Milliseconds = 100

type Deadline = Milliseconds | (() => Milliseconds)

/**
 * Drains on SIGTERM and SIGINT; a second signal or the deadline ends the process at once. It exits with 0 once drained,
 * or 1 if that cut something short; if ended at once, or held up by a hanging disk, it kills itself within a second. A
 * service started with an IPC channel also drains when its parent is gone.
 */
export function stopOnSignals(service: RunningService, logger: Logger, deadlineMs: Deadline = 30_000): void {
  const leave = createLeave(service, logger, deadlineMs)
  process.on('SIGTERM', leave)
  process.on('SIGINT', leave)
  if (process.connected) process.once('disconnect', () => leave('disconnect'))
  else if (process.send) leave('disconnect')
}

/**
 * Returns a function that stops the service and ends the process; a second call ends it at once, unless it is the same
 * signal arriving twice.
 */
export function createLeave(service: RunningService, logger: Logger, deadline: Deadline): (cause: string) => void {
  let first: { cause: string; at: Milliseconds } | undefined
  const exit = (status: number) => {
    if (!service.isDiskHanging) process.exit(status)
    logger.warn('a call of the disk does not return and would keep the process from exiting: killing itself')
    endAtOnce(service)
  }
  return (cause) => {
    const at = performance.now()
    if (first) {
      if (cause === first.cause && at - first.at < sameSignalMs) return
      logger.warn({ cause }, 'told to stop a second time: exiting at once')
      endAtOnce(service)
    }
    first = { cause, at }
    const deadlineMs = typeof deadline === 'number' ? deadline : deadline()
    logger.info({ cause, deadlineMs }, 'draining')
    const timer = setTimeout(() => {
      logger.error({ deadlineMs }, 'not drained by the deadline')
      endAtOnce(service)
    }, deadlineMs)
    timer.unref()
    service.stop().then(
      () => {
        if (service.wasCut) logger.warn('stopped, cutting short what had not ended')
        else logger.info('stopped')
        exit(service.wasCut ? 1 : 0)
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed')
        exit(1)
      },
    )
  }
}

/**
 * Lets writes in Node's threads finish (the last log lines, a bundle of the spool) and begins no more. A plain exit
 * would wait for them without limit if a disk hangs.
 */
function endAtOnce(service: RunningService): never {
  // after all other 'exit' listeners
  process.once('exit', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastWritesMs)
    service.abandon?.()
    process.kill(process.pid, 'SIGKILL')
  })
  process.exit(1)
}
