import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { failureResponse } from '../../forward/failure-response.ts'
import type { LiveChoice, LiveStage } from '../../forward/live-stage.ts'
import type { LiveEnd, LiveRequest } from '../../forward/live-watch.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/** A request for another protocol, until the primary has accepted or refused it; what follows is no longer HTTP. */
export class Handshake {
  readonly #request: LiveRequest
  readonly #choice: LiveChoice
  readonly #upstream: Upstream
  readonly #stage: LiveStage
  readonly #startedAt = performance.now()
  #isConnected = false
  #isSilent = false
  #isOver = false

  constructor(request: LiveRequest, choice: LiveChoice, upstream: Upstream, stage: LiveStage) {
    this.#request = request
    this.#choice = choice
    this.#upstream = upstream
    this.#stage = stage
  }

  sending(proxyRequest: ClientRequest, client: Socket): void {
    const stopWatching = watchForLeaving(client)
    const silence = setTimeout(() => {
      this.#isSilent = true
      proxyRequest.destroy(new Error('the upstream was silent for too long'))
    }, this.#stage.silenceMaxMs)
    proxyRequest.once('close', () => clearTimeout(silence))
    const answered = ({ statusCode }: IncomingMessage) => {
      clearTimeout(silence)
      stopWatching()
      this.#over('answered', statusCode)
    }
    proxyRequest.once('upgrade', answered).once('response', answered)
    const isTls = this.#upstream.target.tls !== undefined
    proxyRequest.once('socket', (socket) => {
      ;(socket as TLSSocket).once(isTls ? 'secureConnect' : 'connect', () => {
        this.#isConnected = true
      })
    })
  }

  /** Returns why it failed if the client must still be told; undefined if the client has its answer. */
  failed(): LiveEnd | undefined {
    if (this.#isOver) return undefined
    const end = this.#isSilent ? 'timedOut' : this.#isConnected ? 'reset' : 'refused'
    if (end === 'refused') this.#choice.upstreams.rest(this.#upstream)
    this.#over(end, failureResponse(end).status)
    return end
  }

  /** The client left. */
  left(): void {
    this.#over('aborted', undefined)
  }

  #over(end: LiveEnd, status: number | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    const tookMs = performance.now() - this.#startedAt
    const { route, correlationId, trace } = this.#choice
    const record = {
      request: this.#request,
      route,
      correlationId,
      traceId: trace?.traceId,
      upstream: this.#upstream,
      passedOn: undefined,
      end,
      status,
      requestBytes: 0,
      responseBytes: 0,
      ttfbMs: end === 'answered' ? tookMs : undefined,
      totalMs: tookMs,
    }
    this.#stage.guard('the end of a handshake', () => this.#stage.handshakeEnded(record, trace))
  }
}

/**
 * Destroys the socket when the client leaves, which an unread socket does not report. Bytes that come early stay
 * unread.
 */
function watchForLeaving(client: Socket): () => void {
  const look = () => void client.read(0)
  const leave = () => void client.destroy()
  client.on('readable', look).once('end', leave)
  return () => void client.off('readable', look).off('end', leave)
}
