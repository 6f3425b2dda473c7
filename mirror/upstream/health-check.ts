import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { HealthCheckConfig } from '../config/upstream.ts'
import { field, headText } from '../http1/fields.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import { wordsOf } from './connection-failure.ts'
import type { Upstream } from './upstream.ts'
import type { ResponseSink, UpstreamConnection } from './upstream-connection.ts'
import type { UpstreamGroup } from './upstream-group.ts'

/**
 * Probes each upstream of a group repeatedly, each time on a new connection, and tells the group which are healthy. The
 * first result counts at once, so that a reload does not send clients to an upstream that hangs; after that a change
 * takes as many results in a row as the config says. Returns a function that stops the checks.
 */
export function startHealthChecks(
  group: UpstreamGroup,
  config: HealthCheckConfig,
  clock: Clock,
  logger: Logger,
): () => void {
  const checks = group.upstreams.map((upstream) => new HealthCheck(upstream, { group, config, clock, logger }))
  return () => {
    for (const check of checks) check.stop()
  }
}

interface HealthCheckOptions {
  group: UpstreamGroup
  config: HealthCheckConfig
  clock: Clock
  logger: Logger
}

class HealthCheck implements ResponseSink {
  readonly #upstream: Upstream
  readonly #group: UpstreamGroup
  readonly #config: HealthCheckConfig
  readonly #clock: Clock
  readonly #logger: Logger
  #connection: UpstreamConnection | undefined
  #timer: NodeJS.Timeout | undefined
  #startedAt = 0
  #status = 0
  #isHealthy: boolean | undefined
  /** Results in a row that contradict `#isHealthy`. */
  #otherwise = 0

  constructor(upstream: Upstream, { group, config, clock, logger }: HealthCheckOptions) {
    this.#upstream = upstream
    this.#group = group
    this.#config = config
    this.#clock = clock
    this.#logger = logger
    this.#ask()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#connection?.destroy()
    this.#connection = undefined
  }

  interim(): void {}

  head({ status }: ResponseHead): void {
    this.#status = status
  }

  data(): void {}

  raw(): void {}

  flush(): void {}

  drained(): void {}

  end(): void {
    const isHealthy = this.#status >= 200 && this.#status < 400
    this.#answered(isHealthy, `it answered ${this.#status}`)
  }

  failed(error: Error): void {
    this.#answered(false, wordsOf(error))
  }

  #ask(): void {
    const { host, pathPrefix } = this.#upstream.target
    const fields = [field('Host', host), field('User-Agent', 'understudy-mirror'), field('Connection', 'close')]
    this.#startedAt = this.#clock.monotonic()
    this.#timer = setTimeout(() => this.#tooLate(), this.#config.timeout)
    const connection = this.#upstream.connections.fresh()
    this.#connection = connection
    connection.begin('GET', this)
    connection.sendHead(headText(`GET ${pathPrefix}${this.#config.path} HTTP/1.1`, fields))
    connection.requestSent()
  }

  #tooLate(): void {
    this.#answered(false, `no complete answer within ${this.#config.timeout} ms`)
  }

  #answered(isHealthy: boolean, reason: string): void {
    clearTimeout(this.#timer)
    // never pooled: a server that was asked to close may do so without saying it will
    this.#connection?.destroy()
    this.#connection = undefined
    this.#count(isHealthy, reason)
    const tookMs = this.#clock.monotonic() - this.#startedAt
    this.#timer = setTimeout(() => this.#ask(), Math.max(0, this.#config.interval - tookMs))
  }

  #count(isHealthy: boolean, reason: string): void {
    const { unhealthyAfter, healthyAfter } = this.#config
    this.#otherwise = isHealthy === this.#isHealthy ? 0 : this.#otherwise + 1
    const needed = this.#isHealthy === undefined ? 1 : isHealthy ? healthyAfter : unhealthyAfter
    if (this.#otherwise < needed) return
    const isFirstAndGood = this.#isHealthy === undefined && isHealthy
    this.#isHealthy = isHealthy
    this.#otherwise = 0
    this.#group.setHealthy(this.#upstream, isHealthy)
    const upstream = this.#upstream.target.url
    if (!isHealthy) this.#logger.warn({ upstream, reason }, 'a primary is unhealthy')
    else if (!isFirstAndGood) this.#logger.info({ upstream }, 'a primary is healthy again')
    if (!isHealthy && this.#group.healthy.length === 0)
      this.#logger.error('no primary is healthy: requests are still sent to them')
  }
}
