import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { fieldValue } from '../http1/fields.ts'
import type { LiveRecord } from '../live/live-record.ts'
import { isLogged } from '../sampling.ts'
import { pathOf } from '../tracing/span.ts'
import { parseTraceparent } from '../tracing/traceparent.ts'

interface AccessLogConfig {
  share: number
  /** Also log every failed request, whatever the share. */
  errors: boolean
}

/** Limits failures that `share` alone would not have logged: a storm of them must not fill the disk. */
const failuresPerSecondMax = 20
const second: Milliseconds = 1000
const pathCharactersMax = 2000

/**
 * Logs one line for each sampled live request. The sample is a hash of the correlation id, else of the trace id, so
 * that every mirror logs the same requests; a request with neither is sampled at random.
 */
export class AccessLog {
  readonly #logger: Logger
  readonly #clock: Clock
  #secondBegan: Milliseconds = Number.NEGATIVE_INFINITY
  #failuresLogged = 0
  #failuresLeftOut = 0
  #leftOutTold = 0
  #teller: NodeJS.Timeout | undefined

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger
    this.#clock = clock
  }

  /** The number of failures beyond the limit per second, which were not logged. */
  get leftOut(): number {
    return this.#failuresLeftOut
  }

  /** `validation`: that of the candidate that answered; undefined if the primary did. */
  record({ share, errors }: AccessLogConfig, record: LiveRecord, validation: string | undefined): void {
    const hasFailed = record.end !== 'answered' || (record.status !== undefined && record.status >= 500)
    if (share <= 0 && !hasFailed) return
    if (isInShare(record, share) || (errors && hasFailed && this.#hasRoom())) this.#write(record, validation, hasFailed)
  }

  close(): void {
    clearTimeout(this.#teller)
    this.#tellLeftOut()
  }

  #hasRoom(): boolean {
    const now = this.#clock.monotonic()
    if (now - this.#secondBegan >= second) {
      this.#secondBegan = now
      this.#failuresLogged = 0
    }
    if (this.#failuresLogged < failuresPerSecondMax) {
      this.#failuresLogged++
      return true
    }
    this.#failuresLeftOut++
    this.#teller ??= setTimeout(() => this.#tellLeftOut(), second).unref()
    return false
  }

  #tellLeftOut(): void {
    this.#teller = undefined
    const count = this.#failuresLeftOut - this.#leftOutTold
    if (count === 0) return
    this.#leftOutTold = this.#failuresLeftOut
    this.#logger.warn({ leftOut: count, failuresPerSecondMax }, 'more requests failed than are logged')
  }

  #write(record: LiveRecord, validation: string | undefined, hasFailed: boolean): void {
    const { request, route, correlationId, upstream, passedOn, end, status } = record
    const { requestBytes, responseBytes, ttfbMs, totalMs } = record
    const { method, target, clientAddress } = request
    this.#logger[hasFailed ? 'warn' : 'info'](
      {
        method,
        path: pathOf(target).slice(0, pathCharactersMax),
        route,
        status,
        end,
        reason: end === 'refused' || end === 'reset' || end === 'shed' ? record.failure : undefined,
        live: validation === undefined ? 'primary' : 'candidate',
        validation,
        passedOn,
        upstream: upstream.target.socketPath ?? upstream.target.host,
        bytesIn: requestBytes,
        bytesOut: responseBytes,
        ttfbMs: rounded(ttfbMs),
        totalMs: rounded(totalMs),
        client: clientAddress,
        correlationId,
        traceId: traceIdOf(record),
      },
      'request',
    )
  }
}

function isInShare(record: LiveRecord, share: number): boolean {
  if (share <= 0 || share >= 1) return share >= 1
  const id = record.correlationId ?? traceIdOf(record)
  return id === undefined ? Math.random() < share : isLogged(id, share)
}

const traceIdOf = ({ traceId, request }: LiveRecord): string | undefined =>
  traceId ?? parseTraceparent(fieldValue(request.fields, 'traceparent'))?.traceId

/** Rounded to the microsecond. */
const rounded = (ms: Milliseconds | undefined) => ms && Math.round(ms * 1000) / 1000
