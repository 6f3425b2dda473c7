import packageJson from '../../package.json' with { type: 'json' }
import { metricsOnDemand, type Registry } from '../../runtime/metrics-registry.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import type { Outbox } from '../delivery/outbox.ts'
import type { Spool } from '../delivery/spool.ts'
import type { FrontDoor } from '../front-door/front-door.ts'
import type { Coverage } from '../ledger/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { FollowedRouting, RoutingFollower } from '../routing/follow-routing.ts'
import type { Stages } from '../stages.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { namesInDoubt } from '../upstream/shared-lookup.ts'
import type { AccessLog } from './access-log.ts'
import type { ClosedIdle } from './closed-idle.ts'
import type { FailedHandshakes } from './failed-handshakes.ts'
import type { RefusedRequests } from './refused-requests.ts'

/** The parts of a mirror that its metrics read. */
export interface MirrorParts {
  stages: Stages
  frontDoor: FrontDoor
  routing: () => FollowedRouting
  follower: RoutingFollower | undefined
  coverage: Coverage | undefined
  accessLog: AccessLog
  refused: RefusedRequests
  failedHandshakes: FailedHandshakes
  closedIdle: ClosedIdle
  outbox: Outbox
  ledger: Ledger
  budget: ByteBudget
  spool: Spool | undefined
  spoolMax: Bytes
  tracing: Tracing | undefined
}

type Metrics = ReturnType<typeof metricsOnDemand>

const labels = ['validation']

export function addStateMetrics(registry: Registry, parts: MirrorParts): void {
  const metrics = metricsOnDemand(registry)
  addExchanges(metrics, parts)
  addUnderstudies(metrics, parts)
  addRouting(metrics, parts)
  addPrimaries(metrics, parts)
  addLoad(metrics, parts)
  addDelivery(metrics, parts)
  addReports(metrics, parts)
  metrics.gauge(
    'understudy_mirror_build_info',
    '1, by version',
    () => [[1, { version: packageJson.version, node: process.version }]],
    { labels: ['version', 'node'], aggregator: 'first' },
  )
}

function addExchanges({ gauge, counter }: Metrics, { ledger, stages }: MirrorParts): void {
  const accounts = () => Object.entries(ledger.accounts())
  const arriving = () => stages.current.quietRoutes.arriving

  counter(
    'understudy_mirror_exchanges_total',
    'Exchanges by how they ended: delivered, or the reason they were not',
    () =>
      accounts().flatMap(([validation, { delivered, skipped }]) =>
        Object.entries({ delivered, ...skipped }).map(([end, count]) => [count, { validation, end }] as const),
      ),
    { labels: ['validation', 'end'] },
  )
  counter(
    'understudy_mirror_seen_total',
    'Exchanges seen',
    () => accounts().map(([validation, { seen }]) => [seen, { validation }]),
    { labels },
  )
  gauge(
    'understudy_mirror_pending',
    'Exchanges that have not ended yet',
    () => accounts().map(([validation, { pending }]) => [pending, { validation }]),
    { labels },
  )
  gauge(
    'understudy_mirror_quiet',
    '1 if no exchange has arrived for quietAfter',
    () => arriving().map(({ validation, isQuiet }) => [isQuiet ? 1 : 0, { validation }]),
    { labels, aggregator: 'min' },
  )
  gauge(
    'understudy_mirror_last_seen_timestamp_seconds',
    'When an exchange last arrived, to within a second; absent until the first since the start',
    () =>
      arriving().flatMap(({ validation, lastSeenAt }) =>
        lastSeenAt === undefined ? [] : [[lastSeenAt / 1000, { validation }]],
      ),
    { labels, aggregator: 'max' },
  )
}

function addUnderstudies({ gauge }: Metrics, { stages, routing }: MirrorParts): void {
  const understudies = () => stages.current.understudies

  gauge(
    'understudy_mirror_shadows_waiting',
    'Shadow requests in the queue',
    () => understudies().map(({ validation, shadows }) => [shadows.waiting, { validation }]),
    { labels },
  )
  gauge(
    'understudy_mirror_shadows_in_flight',
    'Shadow requests sent and not yet answered',
    () => understudies().map(({ validation, shadows }) => [shadows.inFlight, { validation }]),
    { labels },
  )
  gauge(
    'understudy_mirror_breaker_open',
    '1 while a circuit breaker is open: shadow requests, except probes, are shed because the candidate fails or its answers are too large, or the primary answers for a failing live candidate',
    () =>
      understudies().map(({ validation, shadows, reverseShadows, liveBreaker }) => [
        shadows.isBreakerOpen || reverseShadows.isBreakerOpen || liveBreaker?.isOpen ? 1 : 0,
        { validation },
      ]),
    { labels, aggregator: 'max' },
  )
  gauge(
    'understudy_mirror_live_percent',
    'Percentage of live requests that the routing gives the candidate; the primary may still answer them (breaker_open)',
    () =>
      understudies()
        .filter(({ isNoiseFloor }) => !isNoiseFloor)
        .map(({ validation }) => [routing().document.validations[validation]?.livePercent ?? 0, { validation }]),
    { labels, aggregator: 'max' },
  )
}

function addRouting({ gauge, counter }: Metrics, { routing, follower }: MirrorParts): void {
  gauge(
    'understudy_mirror_routing_version',
    'Version of the routing in force; 0 before there is any',
    () => routing().document.version,
    { aggregator: 'min' },
  )
  counter(
    'understudy_mirror_malformed_routing_total',
    'Malformed routing documents received',
    () => follower?.malformed ?? 0,
  )
  gauge(
    'understudy_mirror_routing_unstored',
    '1 while the routing in force cannot be stored on disk, so that a restart could begin with an older one',
    () => (follower?.isUnstored ? 1 : 0),
    { aggregator: 'max' },
  )
}

function addPrimaries({ gauge }: Metrics, { stages }: MirrorParts): void {
  gauge(
    'understudy_mirror_upstream_healthy',
    '1 while this primary passes its health check',
    () => {
      const { upstreams, healthy } = stages.current.primary
      return upstreams.map((upstream) => [
        healthy.includes(upstream) ? 1 : 0,
        { upstream: upstream.target.socketPath ?? upstream.target.host },
      ])
    },
    { labels: ['upstream'], aggregator: 'min' },
  )
  gauge(
    'understudy_mirror_names_in_doubt',
    'Upstream names that cannot be resolved now; their last known address is used',
    namesInDoubt,
    { aggregator: 'max' },
  )
}

function addLoad({ gauge, counter }: Metrics, { frontDoor, closedIdle, stages, budget }: MirrorParts): void {
  gauge('understudy_mirror_client_connections', 'Open client connections', () => frontDoor.connections)
  counter(
    'understudy_mirror_idle_clients_closed_total',
    'Idle clients closed because file descriptors ran short',
    () => closedIdle.count,
  )
  gauge(
    'understudy_mirror_certificate_end_timestamp_seconds',
    'When the certificate that clients are shown ends; absent without tls',
    () => (frontDoor.certificateEndsAt === undefined ? [] : [[frontDoor.certificateEndsAt / 1000, {}]]),
    { aggregator: 'min' },
  )
  gauge('understudy_mirror_requests_in_flight', 'Live requests under way', () => stages.requestsInFlight)
  gauge('understudy_mirror_open_exchanges', 'Exchanges that still hold memory', () => stages.openExchanges)
  gauge('understudy_mirror_held_bytes', 'Memory held, out of capture.memoryMax', () => budget.held)
  gauge('understudy_mirror_held_max_bytes', 'capture.memoryMax', () => budget.bytesMax)
}

function addDelivery({ gauge, counter }: Metrics, { spool, spoolMax, outbox, coverage }: MirrorParts): void {
  gauge('understudy_mirror_spool_bytes', 'Spool size on disk, out of spool.sizeMax', () => spool?.bytes ?? 0)
  gauge('understudy_mirror_spool_max_bytes', 'spool.sizeMax', () => spoolMax)
  counter(
    'understudy_mirror_spool_damaged_total',
    'Spool segments found damaged since the start',
    () => spool?.damagedCount ?? 0,
  )
  gauge('understudy_mirror_spooling', '1 while observations go to disk', () => (outbox.mode === 'spooling' ? 1 : 0), {
    aggregator: 'max',
  })
  gauge(
    'understudy_mirror_disk_failing',
    '1 while the spool cannot be written or read',
    () => (outbox.isDiskFailing ? 1 : 0),
    { aggregator: 'max' },
  )
  counter(
    'understudy_mirror_coverage_reports_lost_total',
    'Coverage reports discarded to make room before they had arrived',
    () => coverage?.lost ?? 0,
  )
}

/** What is left out of reports, and what was refused before there was anything to report. */
function addReports({ counter }: Metrics, { accessLog, tracing, refused, failedHandshakes }: MirrorParts): void {
  counter(
    'understudy_mirror_access_log_left_out_total',
    'Failed requests left out of the access log because of its limit per second',
    () => accessLog.leftOut,
  )
  counter(
    'understudy_mirror_spans_total',
    'Spans by result; none without tracing',
    () => Object.entries(tracing?.counts ?? {}).map(([result, count]) => [count, { result }]),
    { labels: ['result'] },
  )
  counter(
    'understudy_mirror_refused_total',
    'Malformed or too slow requests, by the status they were refused with',
    () => Array.from(refused.counts, ([status, count]) => [count, { status }]),
    { labels: ['status'] },
  )
  counter(
    'understudy_mirror_failed_handshakes_total',
    'TLS handshakes with clients that one side broke off for a reason',
    () => failedHandshakes.count,
  )
}
