import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { failureResponse } from '../../forward/failure-response.ts'
import type { LiveChoice, LiveStage } from '../../forward/live-stage.ts'
import type { LiveEnd } from '../../live/live-watch.ts'
import { replaceSpare } from '../../spare-descriptors.ts'
import { failureOf, NotConnected, wordsOf } from '../../upstream/connection-failure.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/** A request for another protocol, until the primary has accepted or refused it; what follows is no longer HTTP. */
export class Handshake {
  readonly #choice: LiveChoice
  readonly #upstream: Upstream
  readonly #stage: LiveStage
  #isConnected = false
  #isSilent = false
  #isOver = false

  constructor(choice: LiveChoice, upstream: Upstream, stage: LiveStage) {
    this.#choice = choice
    this.#upstream = upstream
    this.#stage = stage
  }

  sending(proxyRequest: ClientRequest, client: Socket): void {
    const stopWatching = watchForLeaving(client)
    const silent = () => {
      if (this.#isOver) return
      this.#isSilent = true
      proxyRequest.destroy(new Error('the upstream was silent for too long'))
    }
    // if this process was busy, an answer in time may still be unread: that is read first
    const silence = setTimeout(() => setImmediate(silent), this.#stage.silenceMaxMs)
    proxyRequest.once('close', () => clearTimeout(silence))
    const answered = ({ statusCode }: IncomingMessage) => {
      clearTimeout(silence)
      stopWatching()
      this.#choice.record.responded(statusCode!, [])
      this.#over('answered')
    }
    proxyRequest.once('upgrade', answered).once('response', answered)
    const isTls = this.#upstream.target.tls !== undefined
    proxyRequest.once('socket', (socket) => {
      replaceSpare(socket)
      ;(socket as TLSSocket).once(isTls ? 'secureConnect' : 'connect', () => {
        this.#isConnected = true
      })
    })
  }

  /** Returns why it failed if the client must still be told; undefined if the client has its answer. */
  failed(error: Error): LiveEnd | undefined {
    if (this.#isOver) return undefined
    this.#choice.record.failure = wordsOf(error)
    const end = this.#isSilent ? 'timedOut' : failureOf(this.#isConnected ? error : new NotConnected(error))
    if (end === 'refused') this.#choice.upstreams.rest(this.#upstream)
    this.#choice.record.status = failureResponse(end).status
    this.#over(end)
    return end
  }

  /** The client left. */
  left(): void {
    this.#over('aborted')
  }

  #over(end: LiveEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stage.ended(this.#choice, { upstream: this.#upstream, watch: undefined, passedOn: undefined }, end)
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
