import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import type { ProxyServer } from 'http-proxy-3'
import type { LiveChoice, LiveStage } from '../forward/live-stage.ts'
import { answeredByPrimary, type NextTry, Tries } from '../forward/tries.ts'
import { type Fields, fieldsOf, hasToken } from '../http1/fields.ts'
import type { LiveRecord } from '../live/live-record.ts'
import type { LiveEnd, LiveFailure, LiveRequest } from '../live/live-watch.ts'
import { failureOf, NotConnected, wordsOf } from '../upstream/connection-failure.ts'
import { addTrailers } from './add-trailers.ts'
import { drainWithConnection, endWithConnection } from './after-answer.ts'
import { answerFailure } from './answer-failure.ts'
import { breakOff, http2Request, http2Response, isGone } from './http2/http2-messages.ts'
import { newLeg, type ProxiedLeg, watchConnection } from './leg.ts'
import { passInformation } from './pass-information.ts'
import { proxyTarget } from './proxy-target.ts'
import { setRequestHeaders } from './set-request-headers.ts'
import { watchRequest } from './watch-request.ts'
import { writeResponseHead } from './write-response-head.ts'

interface ProxiedClient {
  incoming: IncomingMessage
  response: ServerResponse
  proxy: ProxyServer
  /** Whether every response from now on must end its connection. */
  isLeaving(): boolean
}

/**
 * One client's request and its response, tried on one leg after another until one answers. http-proxy-3 streams; this
 * class decides what to do when a stream breaks. Upstream errors become 502 (not reached, or broken before an answer)
 * or 504 (silent for too long). A response that breaks midway breaks for the client too.
 */
export class ProxiedRequest {
  readonly response: ServerResponse
  readonly #incoming: IncomingMessage
  readonly #client: ProxiedClient
  readonly #stage: LiveStage
  readonly #choice: LiveChoice
  readonly #record: LiveRecord
  readonly #tries: Tries
  #leg: ProxiedLeg

  constructor(client: ProxiedClient, request: LiveRequest, stage: LiveStage) {
    const { incoming, response } = client
    this.#client = client
    this.#incoming = incoming
    this.response = response
    this.#stage = stage
    this.#choice = stage.choose(request)
    this.#record = this.#choice.record
    this.#tries = new Tries(request.method, this.#choice, stage)
    this.#leg = newLeg(this.#tries.first(this.#choice))
  }

  start(): void {
    const { response } = this
    const incoming = this.#incoming
    incoming.url = this.#record.request.target
    // http-proxy-3 emits no event for a request with Expect
    delete incoming.headers.expect
    response.on('error', () => response.destroy())
    const left = () => {
      const leg = this.#leg
      const isAnswered = leg.response?.complete === true
      this.#end(leg, isAnswered ? 'answered' : 'aborted')
      const stream = http2Request(incoming)?.stream
      // http-proxy-3 takes an HTTP/2 stream that was reset for one that finished
      const isBroken = stream?.readableEnded === false && leg.proxyRequest?.writableEnded === false
      if (!isAnswered || isBroken) leg.proxyRequest?.destroy()
      if (!incoming.readableEnded && !stream) endWithConnection(incoming)
    }
    // Node's HTTP/2 message reports nothing if the client of a HEAD leaves before the answer
    const closing = http2Response(response)?.stream ?? response
    closing.once('close', left)
    // nor does a pipelined HTTP/1.1 response waiting for its turn: it has no socket yet
    if (response.socket === null) {
      const { socket } = incoming
      socket.once('close', left)
      response.once('close', () => socket.off('close', left))
    }
    this.#send()
    // only now: a flowing body would send the head before http-proxy-3 lets us see it
    incoming.on('data', (chunk: Buffer) => {
      this.#tries.keep(chunk)
      this.#record.requestBytes += chunk.length
    })
    const { request: watch } = this.#choice
    if (watch) watchRequest(incoming, watch, this.#stage)
  }

  /** The current leg has a connection; its head is not sent yet. */
  sending(proxyRequest: ClientRequest): void {
    const leg = this.#leg
    const incoming = this.#incoming
    leg.proxyRequest = proxyRequest
    if (leg.end !== undefined) {
      proxyRequest.destroy()
      return
    }
    watchConnection(leg, proxyRequest)
    if (incoming.url === '*') proxyRequest.path = '*' // http-proxy-3 turns it into a path
    const { record, trace } = this.#choice
    proxyRequest.method = record.request.method // Node has put it in capitals
    setRequestHeaders(proxyRequest, this.#stage.headers.toUpstream(record.request, leg.upstream, trace))
    leg.sendBody?.()
    incoming.prependOnceListener('end', () =>
      this.#stage.guard('passing trailers on', () => addTrailers(proxyRequest, incoming.rawTrailers)),
    )
    passInformation(proxyRequest, incoming, this.response, leg.watch?.fallback !== undefined)
    proxyRequest.on('timeout', () => this.#silent(leg, proxyRequest))
    // an unrequested upgrade: without a listener Node drops the connection silently
    proxyRequest.once('upgrade', (_response, socket) => {
      socket.destroy()
      this.#client.proxy.emit('error', new Error('the upstream switched protocols'), incoming, this.response)
    })
    proxyRequest.once('close', () => {
      // if the upstream left early, the client's unread body must not stay in its connection
      if (leg === this.#leg && !incoming.readableEnded) incoming.resume()
    })
  }

  responded(upstreamResponse: IncomingMessage): void {
    const leg = this.#leg
    const { response } = this
    const fields = fieldsOf(upstreamResponse.rawHeaders)
    const { statusCode, statusMessage } = upstreamResponse
    const head = { status: statusCode!, reason: statusMessage ?? '', fields }
    const next = isGone(response) ? undefined : this.#tries.afterAnswer(leg, head)
    if (next) {
      this.#passOn(next, upstreamResponse, fields)
      return
    }
    try {
      const given = leg.passedOn ? [...fields, answeredByPrimary] : fields
      writeResponseHead(upstreamResponse, given, response, this.#connection())
    } catch (error) {
      this.failed(error as Error)
      upstreamResponse.on('error', () => {})
      upstreamResponse.destroy()
      return
    }
    leg.response = upstreamResponse
    this.#record.responded(statusCode!, fields)
    this.#tries.drop()
    upstreamResponse.once('end', () => {
      this.#stage.guard('passing trailers on', () => addTrailers(response, upstreamResponse.rawTrailers))
      this.#end(leg, 'answered')
      if (leg.proxyRequest) drainWithConnection(leg.proxyRequest)
    })
    upstreamResponse.once('error', (error) => {
      this.#record.failure = wordsOf(error)
      this.#end(leg, leg.timedOut ? 'timedOut' : 'reset')
      breakOff(response)
    })
    // the head is sent together with the first of the body if that is there, else alone: an event stream may be silent
    // at first
    setImmediate(() => {
      const isOver = response.writableEnded || isGone(response)
      if (!upstreamResponse.readableDidRead && !isOver) response.flushHeaders()
    })
    const { watch } = leg
    if (watch) this.#stage.guard('watching a response', () => watch.responded(upstreamResponse.statusCode!, fields))
    upstreamResponse.on('data', (chunk: Buffer) => {
      this.#record.responseBytes += chunk.length
      watch?.responseData(chunk)
    })
    upstreamResponse.pipe(response)
  }

  failed(error: Error): void {
    const leg = this.#leg
    if (leg.end !== undefined) return
    this.#record.failure = wordsOf(error)
    // once there is a response, its own end decides: an upstream may answer early and close on the rest of the request
    if (leg.response) {
      // Node would take this for the regular end of a body that is bounded by close
      if (!leg.response.complete) leg.response.destroy(new Error('the upstream broke off its answer'))
      return
    }
    const end = leg.timedOut ? 'timedOut' : failureOf(leg.isConnected ? error : new NotConnected(error))
    this.#incoming.unpipe()
    if (isGone(this.response)) {
      this.#end(leg, 'aborted')
      return
    }
    if (this.#tryAgain(leg, end)) return
    answerFailure(this.response, end, this.#tries.setAside?.answer, this.#connection())
    this.#record.status = this.response.statusCode
    this.#end(leg, end)
    if (!this.#incoming.readableEnded) this.#incoming.resume()
  }

  #send(body?: PassThrough): void {
    const { target, agent } = this.#leg.upstream
    this.#client.proxy.web(this.#incoming, this.response, {
      target: proxyTarget(target),
      agent,
      headers: { connection: 'keep-alive' },
      prependPath: target.pathPrefix !== '',
      ...(body && { buffer: body }),
    })
  }

  #silent(leg: ProxiedLeg, proxyRequest: ClientRequest): void {
    // the silence may be the client's, if it has not sent everything or does not read; its own socket's timeout ends
    // that
    const { complete } = this.#incoming
    const isClientsTurn = complete ? this.response.writableNeedDrain : !proxyRequest.writableNeedDrain
    if (isClientsTurn) return
    const socket = proxyRequest.socket!
    const { bytesRead } = socket
    // if this process was busy, what the upstream sent may still be unread: that is read first
    setImmediate(() => {
      if (leg.end !== undefined || socket.bytesRead > bytesRead) return
      leg.timedOut = true
      proxyRequest.destroy(new Error('the upstream was silent for too long'))
    })
  }

  /**
   * Leaves an answer that the client will not get. Only what came together with its head is read: by now the answer is
   * complete or counts as broken off.
   */
  #passOn(next: NextTry, upstreamResponse: IncomingMessage, fields: Fields): void {
    const leg = this.#leg
    const { proxyRequest, watch } = leg
    leg.end = 'answered'
    this.#incoming.unpipe()
    // errors of the abandoned request must not count as failures of the next leg
    proxyRequest!.removeAllListeners('error').on('error', () => {})
    upstreamResponse.on('error', () => {})
    const { setAside } = this.#tries
    upstreamResponse.on('data', (chunk: Buffer) => {
      setAside?.add(chunk)
      watch?.responseData(chunk)
    })
    if (watch) this.#stage.guard('watching a response', () => watch.responded(upstreamResponse.statusCode!, fields))
    setImmediate(() => {
      if (!upstreamResponse.complete || !proxyRequest!.writableFinished) proxyRequest!.destroy()
      setAside?.ended(upstreamResponse.complete)
      const end = upstreamResponse.complete ? 'answered' : 'reset'
      if (watch) this.#stage.guard('the end of a live request', () => watch.ended(end))
    })
    this.#try(next)
  }

  #tryAgain(leg: ProxiedLeg, end: LiveFailure): boolean {
    const next = this.#tries.after(leg, end, leg.isReused)
    if (!next) return false
    leg.end = end
    this.#try(next)
    return true
  }

  #try(next: NextTry): void {
    const body = new PassThrough()
    this.#leg = newLeg(next.leg)
    if (next.isFresh) {
      const { freeSockets } = next.leg.upstream.agent
      for (const sockets of Object.values(freeSockets)) for (const one of sockets ?? []) one.destroy()
    }
    this.#leg.sendBody = () => {
      for (const piece of next.body) body.write(piece)
      if (this.#incoming.readableEnded) body.end()
      else this.#incoming.pipe(body)
    }
    this.#send(body)
  }

  #connection(): 'close' | 'keep-alive' {
    if (this.#client.isLeaving()) return 'close'
    const { httpVersion, headers } = this.#incoming
    const { connection } = headers
    const isKept = httpVersion === '1.0' ? hasToken(connection, 'keep-alive') : !hasToken(connection, 'close')
    return isKept ? 'keep-alive' : 'close'
  }

  #end(leg: ProxiedLeg, end: LiveEnd): void {
    if (leg.end !== undefined) return
    leg.end = end
    this.#tries.drop()
    this.#stage.ended(this.#choice, leg, end)
  }
}
