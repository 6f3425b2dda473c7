import { type Dispatcher, Pool } from 'undici'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { connectionWords } from '../connection-words.ts'
import type { StoredRequest } from './stored-requests.ts'

export type SendOutcome =
  | { kind: 'answered'; status: number }
  /** `reason`: `HTTP 503`, `timeout` or the connection's error. `example`: the body's beginning, or a redirect's target. */
  | { kind: 'failed'; reason: string; example: string }

const exampleBytesMax = 300

/** An ingress that wants https answers quickly: its redirects are not the model's answers. */
const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

interface LoadClientOptions {
  target: URL
  connections: number
  timeoutMs: Milliseconds
  /** Override those of the stored requests. */
  headers?: Record<string, string>
}

/** Keep-alive connections to one target, with one request at a time on each. Response bodies are read and discarded. */
export class LoadClient {
  readonly #pool: Pool
  readonly #basePath: string
  readonly #headers: Record<string, string>

  constructor({ target, connections, timeoutMs, headers = {} }: LoadClientOptions) {
    const none = { headersTimeout: 0, bodyTimeout: 0 } // each request has its own deadline
    this.#pool = new Pool(target.origin, { connections, pipelining: 1, connect: { timeout: timeoutMs }, ...none })
    this.#basePath = target.pathname.replace(/\/$/, '')
    this.#headers = headers
  }

  /** Resolves when the last byte of the answer arrives, or with the reason why there is none. Never rejects. */
  send({ method, path, headers, body }: StoredRequest, timeoutMs: Milliseconds): Promise<SendOutcome> {
    return new Promise((resolve) => {
      let running: Dispatcher.DispatchController | undefined
      let isLate = false
      let status = 0
      let example = ''
      const timer = setTimeout(() => {
        resolve({ kind: 'failed', reason: 'timeout', example: '' })
        isLate = true
        running?.abort(new Error('timeout'))
      }, Math.ceil(timeoutMs))
      const options = {
        method: method as Dispatcher.HttpMethod,
        path: this.#basePath + path,
        headers: { ...headers, ...this.#headers },
        body,
      }
      this.#pool.dispatch(options, {
        onRequestStart(controller) {
          running = controller
          // it may have waited for a connection until now
          if (isLate) controller.abort(new Error('timeout'))
        },
        onResponseStart(_controller, statusCode, { location }) {
          status = statusCode
          if (isRedirect(status)) example = String(location)
        },
        onResponseData(_controller, chunk) {
          if (status >= 400 && example.length < exampleBytesMax) example += chunk.toString('utf8', 0, exampleBytesMax)
        },
        onResponseEnd() {
          clearTimeout(timer)
          if (status < 400 && !isRedirect(status)) resolve({ kind: 'answered', status })
          else resolve({ kind: 'failed', reason: `HTTP ${status}`, example: example.slice(0, exampleBytesMax) })
        },
        onResponseError(_controller, error) {
          clearTimeout(timer)
          resolve({ kind: 'failed', reason: connectionWords(error), example: '' })
        },
      })
    })
  }

  /** Requests in progress fail. */
  close(): Promise<void> {
    return this.#pool.destroy()
  }
}
