import { randomUUID } from 'node:crypto'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import packageJson from '../../package.json' with { type: 'json' }
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { fieldValue } from '../http1/fields.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { RequestTrace } from './request-trace.ts'
import type { FinishedSpan } from './span.ts'
import { parseTraceparent, sampledFlag } from './traceparent.ts'

/** The most spans waiting or being sent; more are dropped and counted. */
const spansMax = 4096
/** Small, because a batch is serialised in one go beside the live traffic: well under a millisecond. */
const batchSpansMax = 64
const batchEveryMs: Milliseconds = 1000
const exportMaxMs: Milliseconds = 10_000

export interface Tracing {
  /** Undefined if the request is not traced; its `traceparent` is then passed on unchanged. */
  begin(request: LiveRequest): RequestTrace | undefined
  /** Spans since the start. */
  readonly counts: Readonly<{ exported: number; failed: number; dropped: number }>
  /** Sends the waiting spans, as far as time allows. */
  stop(deadlineMs: Milliseconds): Promise<void>
}

interface TracingConfig {
  url: string
  share: number
}

/**
 * We build the spans ourselves, since they are complete only once they have ended. The queue, batches and OTLP come
 * from OpenTelemetry's SDK, which is loaded only here. The SDK itself reads `OTEL_EXPORTER_OTLP_HEADERS`,
 * `…_CERTIFICATE`, `…_COMPRESSION`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
 */
export async function startTracing({ url, share }: TracingConfig, clock: Clock, logger: Logger): Promise<Tracing> {
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const resource = resources
    .defaultResource()
    .merge(
      resources.resourceFromAttributes({
        'service.name': 'understudy-mirror',
        'service.version': packageJson.version,
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(resources.detectResources({ detectors: [resources.envDetector] }))
  const scope = { name: 'understudy', version: packageJson.version }
  const exporter = new OTLPTraceExporter({ url: tracesUrl(url), timeoutMillis: exportMaxMs, concurrencyLimit: 4 })
  const counts = { exported: 0, failed: 0, dropped: 0 }
  let unsent = 0
  let isAway = false

  const processor = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        exporter.export(spans, (result) => {
          unsent -= spans.length
          const isSent = result.code === 0
          counts[isSent ? 'exported' : 'failed'] += spans.length
          if (isSent && isAway) logger.info({ url }, 'spans are accepted again')
          if (!isSent && !isAway) {
            logger.warn({ url, err: result.error }, 'spans are not accepted; they are lost meanwhile')
          }
          isAway = !isSent
          done(result)
        })
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: spansMax,
    maxExportBatchSize: batchSpansMax,
    scheduledDelayMillis: batchEveryMs,
    exportTimeoutMillis: 2 * exportMaxMs,
  })
  const finish = (span: FinishedSpan) => {
    if (unsent >= spansMax) {
      counts.dropped++
      return
    }
    unsent++
    processor.onEnd(readable(span, resource, scope))
  }

  return {
    counts,
    begin(request) {
      const client = parseTraceparent(fieldValue(request.fields, 'traceparent'))
      const isTraced = client ? (client.flags & sampledFlag) !== 0 : Math.random() < share
      return isTraced ? new RequestTrace(request, client, clock, finish) : undefined
    },
    async stop(deadlineMs) {
      const stopped = processor.shutdown().catch(() => {}) // already logged
      let timer: NodeJS.Timeout | undefined
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, deadlineMs)
      })
      await Promise.race([stopped, late])
      clearTimeout(timer)
    },
  }
}

/** A collector's base URL stands for its traces path, as in `OTEL_EXPORTER_OTLP_ENDPOINT`. */
function tracesUrl(url: string): string {
  const parsed = new URL(url)
  if (parsed.pathname === '/') parsed.pathname = '/v1/traces'
  return parsed.href
}

function readable(
  { name, kind, traceId, spanId, flags, parent, startedAt, endedAt, attributes, isError }: FinishedSpan,
  resource: ReadableSpan['resource'],
  instrumentationScope: ReadableSpan['instrumentationScope'],
): ReadableSpan {
  const context = { traceId, spanId, traceFlags: flags }
  return {
    name,
    kind: kind === 'server' ? 1 : 2,
    spanContext: () => context,
    ...(parent && { parentSpanContext: { ...parent, traceId, traceFlags: flags } }),
    startTime: hrTimeOf(startedAt),
    endTime: hrTimeOf(endedAt),
    duration: hrTimeOf(endedAt - startedAt),
    ended: true,
    status: { code: isError ? 2 : 0 },
    attributes,
    links: [],
    events: [],
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** Seconds and nanoseconds. */
function hrTimeOf(ms: EpochMs): [number, number] {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}
