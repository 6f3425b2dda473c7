import type { Clock } from '../../runtime/clock.ts'
import type { Leg } from '../../vocabulary/leg.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { type Field, type Fields, field, fieldValue } from '../http1/fields.ts'
import type { LiveRecord } from '../live/live-record.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import type { Target } from '../upstream/target.ts'
import { type FinishedSpan, hostAttributes, methodAttributes, pathOf, present, spanName } from './span.ts'
import { newSpanId, newTrace, type TraceParent, traceparentOf } from './traceparent.ts'

/** One attempt to send the live request. */
interface Attempt {
  spanId: string
  sentAt: Milliseconds
  host: string
  /** The number of attempts before it. */
  resends: number
}

/** One request to an upstream that has ended. */
interface Sent extends Pick<Attempt, 'spanId' | 'sentAt'> {
  status: number | undefined
  /** Undefined if it was sent again. */
  end: string | undefined
  attributes: Attributes
}

type Attributes = Record<string, string | number | undefined>

/** The validation of the candidate that answered; undefined if the primary did. */
type LiveValidation = string | undefined

/**
 * The spans of one traced client request: a server span for the request and, below it, a client span for each time it
 * is sent to an upstream, live or as a shadow. Shadow spans may end long after the request; nothing waits for them.
 */
export class RequestTrace {
  readonly traceId: string
  readonly #spanId = newSpanId()
  readonly #flags: number
  readonly #client: TraceParent | undefined
  readonly #request: LiveRequest
  readonly #clock: Clock
  readonly #finish: (span: FinishedSpan) => void
  readonly #startedAt: Milliseconds
  /** The offset from monotonic time to the time of day, the same for all spans of a request. */
  readonly #epoch: EpochMs
  #attempt: Attempt | undefined

  /** `client`: the parent span that the client named. */
  constructor(
    request: LiveRequest,
    client: TraceParent | undefined,
    clock: Clock,
    finish: (span: FinishedSpan) => void,
  ) {
    const { traceId, flags } = client ?? newTrace()
    this.traceId = traceId
    this.#flags = flags
    this.#client = client
    this.#request = request
    this.#clock = clock
    this.#finish = finish
    this.#startedAt = clock.monotonic()
    this.#epoch = clock.now() - this.#startedAt
  }

  /** Called each time the live request is sent; returns its fields, which name this attempt's span. */
  sent(upstreamHost: string): Fields {
    const before = this.#attempt
    if (before) this.#attemptFailed(before)
    const resends = before ? before.resends + 1 : 0
    const attempt = { spanId: newSpanId(), sentAt: this.#clock.monotonic(), host: upstreamHost, resends }
    this.#attempt = attempt
    return this.#withSpan(this.#request.fields, attempt.spanId)
  }

  /** The span of a copy: call `sent` if it is sent, `ended` in any case. */
  shadow(validation: string, leg: Leg, target: Target) {
    const spanId = newSpanId()
    let startedAt = this.#clock.monotonic()
    return {
      sent: (fields: Fields): Fields => {
        startedAt = this.#clock.monotonic()
        return this.#withSpan(fields, spanId)
      },
      ended: (outcome: LegOutcome): void => {
        const status = outcome.kind === 'answered' ? outcome.status : undefined
        this.#clientSpan({
          spanId,
          sentAt: startedAt,
          status,
          end: outcome.kind,
          attributes: {
            ...addressOf(target),
            'url.full': urlOf(target, this.#request.target),
            'understudy.leg': leg === 'primary' ? 'reverseShadow' : 'shadow',
            'understudy.validation': validation,
            'understudy.queued_ms': outcome.queuedMs,
          },
        })
      },
    }
  }

  /** The live request is over. `validation`: that of the candidate that answered it. */
  ended(record: LiveRecord, validation: LiveValidation): void {
    const { upstream, end, status } = record
    const attempt = this.#attempt
    if (attempt) {
      const { spanId, sentAt } = attempt
      this.#clientSpan({
        spanId,
        sentAt,
        status: record.ttfbMs === undefined ? undefined : status,
        end,
        attributes: {
          ...addressOf(upstream.target),
          'url.full': urlOf(upstream.target, this.#request.target),
          'understudy.leg': 'live',
          'understudy.validation': validation,
          'http.request.resend_count': attempt.resends || undefined,
        },
      })
    }
    this.#serverSpan(record, validation)
  }

  #serverSpan(record: LiveRecord, validation: LiveValidation): void {
    const { route, correlationId, end, status, requestBytes, responseBytes } = record
    const { method, target, fields, clientAddress, isTls } = this.#request
    const host = fieldValue(fields, 'host')
    const isError = status !== undefined && status >= 500
    this.#finish({
      name: spanName(method, route),
      kind: 'server',
      traceId: this.traceId,
      spanId: this.#spanId,
      flags: this.#flags,
      parent: this.#client && { spanId: this.#client.spanId, isRemote: true },
      startedAt: this.#epoch + this.#startedAt,
      endedAt: this.#epoch + this.#clock.monotonic(),
      attributes: present({
        ...methodAttributes(method),
        'url.path': pathOf(target),
        'url.scheme': isTls ? 'https' : 'http',
        'http.route': route,
        ...hostAttributes(host),
        'client.address': clientAddress,
        'user_agent.original': fieldValue(fields, 'user-agent'),
        'http.response.status_code': status,
        'http.request.body.size': requestBytes,
        'http.response.body.size': responseBytes,
        'error.type': end === 'answered' ? (isError ? String(status) : undefined) : end,
        'understudy.outcome': end,
        'understudy.live': validation === undefined ? 'primary' : 'candidate',
        'understudy.validation': validation,
        'understudy.correlation_id': correlationId,
      }),
      // a client that left is no failure
      isError: isError || (end !== 'answered' && end !== 'aborted'),
    })
  }

  #attemptFailed({ spanId, sentAt, host, resends }: Attempt): void {
    this.#clientSpan({
      spanId,
      sentAt,
      status: undefined,
      end: undefined,
      attributes: {
        ...hostAttributes(host),
        'understudy.leg': 'live',
        'http.request.resend_count': resends || undefined,
        'error.type': 'sentAgain',
      },
    })
  }

  #clientSpan({ spanId, sentAt, status, end, attributes }: Sent): void {
    const { method } = this.#request
    const isFailure = status !== undefined && status >= 400
    const errorType = end === 'answered' ? (isFailure ? String(status) : undefined) : end
    this.#finish({
      name: spanName(method),
      kind: 'client',
      traceId: this.traceId,
      spanId,
      flags: this.#flags,
      parent: { spanId: this.#spanId, isRemote: false },
      startedAt: this.#epoch + sentAt,
      endedAt: this.#epoch + this.#clock.monotonic(),
      attributes: present({
        ...methodAttributes(method),
        'http.response.status_code': status,
        'understudy.outcome': end,
        'error.type': errorType,
        ...attributes,
      }),
      isError: end !== 'answered' || isFailure,
    })
  }

  /** A client's `tracestate` belongs to its `traceparent`: without a valid one, both are dropped. */
  #withSpan(fields: Fields, spanId: string): Field[] {
    const isNew = this.#client === undefined
    const kept = fields.filter(({ name }) => name !== 'traceparent' && !(isNew && name === 'tracestate'))
    kept.push(field('traceparent', traceparentOf({ traceId: this.traceId, spanId, flags: this.#flags })))
    return kept
  }
}

function addressOf({ hostname, port, socketPath }: Target): Attributes {
  return socketPath === undefined
    ? { 'server.address': hostname, 'server.port': port }
    : { 'server.address': socketPath, 'network.transport': 'unix' }
}

const urlOf = ({ isTls, host, pathPrefix }: Target, target: string): string =>
  `${isTls ? 'https' : 'http'}://${host}${pathPrefix}${pathOf(target)}`
