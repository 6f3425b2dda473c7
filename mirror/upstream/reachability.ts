import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { wordsOf } from './connection-failure.ts'

/** For an upstream that comes and goes: changes within this time of the last line are not logged. */
const lineEveryMs: Milliseconds = 10_000

/**
 * For each error code of a refused certificate, the setting that helps. Node's own advice is for whoever starts Node.
 */
const adviceOn: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'set tls.ca to the authority to trust, or to this certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'set tls.ca to the authority to trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'set tls.ca to the authority to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'set tls.ca to the authority to trust',
  ERR_TLS_CERT_ALTNAME_INVALID: 'set tls.serverName to the name it must carry',
}

/**
 * Watches connection attempts to one upstream and logs when it becomes unreachable and reachable: one line per change,
 * not per request.
 */
export class Reachability {
  readonly #url: string
  readonly #pace: LogPace
  readonly #logger: Logger
  #isReachable = true

  constructor(url: string, clock: Clock, logger: Logger) {
    this.#url = url
    this.#pace = new LogPace(lineEveryMs, clock)
    this.#logger = logger
  }

  /** `connected`: the event that says this socket is ready for use. */
  watch(socket: Socket, connected: 'connect' | 'secureConnect'): void {
    const failed = (error: NodeJS.ErrnoException) => this.#failed(error)
    socket.once('error', failed)
    socket.once(connected, () => {
      socket.off('error', failed)
      this.#connected()
    })
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (!this.#isReachable || this.#pace.due() === undefined) return
    this.#isReachable = false
    const { code } = error
    const advice = adviceOn[code ?? '']
    const message = wordsOf(error)
    const reason = advice ? `${message.replace(/; if the root CA .*/, '')}; ${advice}` : message
    this.#logger.warn({ upstream: this.#url, code, reason }, 'an upstream cannot be reached')
  }

  #connected(): void {
    if (this.#isReachable) return
    this.#isReachable = true
    this.#logger.info({ upstream: this.#url }, 'an upstream can be reached again')
  }
}
