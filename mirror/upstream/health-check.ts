import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { HealthCheckConfig } from '../config/upstream.ts'
import { field } from '../http1/fields.ts'
import { pause } from '../pause.ts'
import { wordsOf } from './connection-failure.ts'
import { NoAnswerInTime, sendWhole } from './send-whole.ts'
import type { Upstream } from './upstream.ts'
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
  const stopping = new AbortController()
  const options = { group, config, clock, logger }
  for (const upstream of group.upstreams) void new HealthCheck(upstream, options).run(stopping.signal)
  return () => stopping.abort()
}

interface HealthCheckOptions {
  group: UpstreamGroup
  config: HealthCheckConfig
  clock: Clock
  logger: Logger
}

class HealthCheck {
  readonly #upstream: Upstream
  readonly #options: HealthCheckOptions
  #isHealthy: boolean | undefined
  /** Results in a row that contradict `#isHealthy`. */
  #otherwise = 0

  constructor(upstream: Upstream, options: HealthCheckOptions) {
    this.#upstream = upstream
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options
    while (!signal.aborted) {
      const askedAt = clock.monotonic()
      const failure = await this.#ask(signal)
      if (signal.aborted) return
      this.#count(failure === undefined, failure)
      await pause(Math.max(0, config.interval - (clock.monotonic() - askedAt)), signal)
    }
  }

  /** Returns why it is unhealthy; undefined if it is healthy. */
  async #ask(signal: AbortSignal): Promise<string | undefined> {
    const { path, timeout } = this.#options.config
    const { target, connections } = this.#upstream
    const fields = [field('Host', target.host), field('User-Agent', 'understudy-mirror'), field('Connection', 'close')]
    const connection = connections.fresh()
    const request = {
      method: 'GET',
      path: target.pathPrefix + path,
      fields,
      body: [],
      withinMs: timeout,
      signal,
    } as const
    try {
      const { status } = await sendWhole({ take: () => connection }, request)
      return status >= 200 && status < 400 ? undefined : `it answered ${status}`
    } catch (error) {
      const isLate = error instanceof NoAnswerInTime
      return isLate ? `no complete answer within ${timeout} ms` : wordsOf(error as Error)
    } finally {
      // never pooled: a server that was asked to close may do so without saying it will
      connection.destroy()
    }
  }

  #count(isHealthy: boolean, reason: string | undefined): void {
    const { group, config, logger } = this.#options
    const { unhealthyAfter, healthyAfter } = config
    this.#otherwise = isHealthy === this.#isHealthy ? 0 : this.#otherwise + 1
    const needed = this.#isHealthy === undefined ? 1 : isHealthy ? healthyAfter : unhealthyAfter
    if (this.#otherwise < needed) return
    const isFirstAndGood = this.#isHealthy === undefined && isHealthy
    this.#isHealthy = isHealthy
    this.#otherwise = 0
    group.setHealthy(this.#upstream, isHealthy)
    const upstream = this.#upstream.target.url
    if (!isHealthy) logger.warn({ upstream, reason }, 'a primary is unhealthy')
    else if (!isFirstAndGood) logger.info({ upstream }, 'a primary is healthy again')
    if (!isHealthy && group.healthy.length === 0) logger.error('no primary is healthy: requests are still sent to them')
  }
}
