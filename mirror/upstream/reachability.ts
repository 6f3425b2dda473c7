import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { isAlert, wordsOf } from './connection-failure.ts'

/** For an upstream that comes and goes: changes within this time of the last line are not logged. */
const lineEveryMs: Milliseconds = 10_000

/** For an upstream that ends every connection with a TLS alert. */
const alertEveryMs: Milliseconds = 60_000

/**
 * Watches connection attempts to one upstream and logs when it becomes unreachable and reachable: one line per change,
 * not per request.
 */
export class Reachability {
  readonly #url: string
  readonly #pace: LogPace
  readonly #alertPace: LogPace
  readonly #logger: Logger
  #isReachable = true

  constructor(url: string, clock: Clock, logger: Logger) {
    this.#url = url
    this.#pace = new LogPace(lineEveryMs, clock)
    this.#alertPace = new LogPace(alertEveryMs, clock)
    this.#logger = logger
  }

  /** `connected`: the event that says this socket is ready for use. */
  watch(socket: Socket, connected: 'connect' | 'secureConnect'): void {
    const failed = (error: NodeJS.ErrnoException) => this.#failed(error)
    socket.once('error', failed)
    socket.once(connected, () => {
      socket.off('error', failed)
      socket.once('error', (error) => this.#broke(error))
      this.#connected()
    })
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (!this.#isReachable || this.#pace.due() === undefined) return
    this.#isReachable = false
    this.#logger.warn(this.#about(error), 'an upstream cannot be reached')
  }

  /** Under TLS 1.3 an upstream judges our certificate only after the handshake. */
  #broke(error: NodeJS.ErrnoException): void {
    if (!isAlert(error) || this.#alertPace.due() === undefined) return
    this.#logger.warn(this.#about(error), 'an upstream refused a connection after its TLS handshake')
  }

  #about(error: NodeJS.ErrnoException) {
    return { upstream: this.#url, code: error.code, reason: wordsOf(error) }
  }

  #connected(): void {
    if (this.#isReachable) return
    this.#isReachable = true
    this.#logger.info({ upstream: this.#url }, 'an upstream can be reached again')
  }
}
