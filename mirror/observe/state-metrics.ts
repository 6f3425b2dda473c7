import packageJson from '../../package.json' with { type: 'json' }
import { metricsOnDemand, type Registry } from '../../runtime/metrics-registry.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import type { Outbox } from '../delivery/outbox.ts'
import type { Spool } from '../delivery/spool.ts'
import type { ByteBudget } from '../exchange/byte-budget.ts'
import type { FrontDoor } from '../forward/front-door.ts'
import type { Coverage } from '../ledger/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { FollowedRouting, RoutingFollower } from '../routing/follow-routing.ts'
import type { Stages } from '../stages.ts'
import { namesInDoubt } from '../upstream/shared-lookup.ts'
import type { AccessLog } from './access-log.ts'
import type { RefusedRequests } from './refused-requests.ts'
import type { Tracing } from './tracing.ts'

/** What of a mirror its metrics are read from. */
export interface MirrorParts {
  stages: Stages
  frontDoor: FrontDoor
  routing: () => FollowedRouting
  follower: RoutingFollower | undefined
  coverage: Coverage | undefined
  accessLog: AccessLog
  refused: RefusedRequests
  outbox: Outbox
  ledger: Ledger
  budget: ByteBudget
  spool: Spool | undefined
  spoolMax: Bytes
  tracing: Tracing | undefined
}

export function addStateMetrics(registry: Registry, parts: MirrorParts): void {
  const { stages, routing, follower, outbox, budget, spool } = parts
  const { gauge, counter } = metricsOnDemand(registry)
  const accounts = () => Object.entries(parts.ledger.accounts())
  const arriving = () => stages.current.quietRoutes.arriving
  const understudies = () => stages.current.understudies
  const labels = ['validation']

  counter(
    'understudy_mirror_exchanges_total',
    'Exchanges by how they ended: delivered or why not',
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
    'Exchanges that have not come to their end',
    () => accounts().map(([validation, { pending }]) => [pending, { validation }]),
    { labels },
  )
  gauge(
    'understudy_mirror_quiet',
    '1 where no exchange arrived for quietAfter',
    () => arriving().map(({ validation, isQuiet }) => [isQuiet ? 1 : 0, { validation }]),
    { labels, aggregator: 'min' },
  )
  gauge(
    'understudy_mirror_last_seen_timestamp_seconds',
    'When an exchange last arrived, within a second; absent before the first since the start',
    () =>
      arriving().flatMap(({ validation, lastSeenAt }) =>
        lastSeenAt === undefined ? [] : [[lastSeenAt / 1000, { validation }]],
      ),
    { labels, aggregator: 'max' },
  )
  gauge(
    'understudy_mirror_shadows_waiting',
    'Shadow requests in the queue',
    () => understudies().map(({ validation, shadows }) => [shadows.waiting, { validation }]),
    { labels },
  )
  gauge(
    'understudy_mirror_shadows_in_flight',
    'Shadow requests being answered',
    () => understudies().map(({ validation, shadows }) => [shadows.inFlight, { validation }]),
    { labels },
  )
  gauge(
    'understudy_mirror_breaker_open',
    '1 while shadow requests are turned away, but for probes, as the upstream fails or its answers are too large to be compared, or the primary answers for a live candidate that fails',
    () =>
      understudies().map(({ validation, shadows, reverseShadows, liveBreaker }) => [
        shadows.isBreakerOpen || reverseShadows.isBreakerOpen || liveBreaker?.isOpen ? 1 : 0,
        { validation },
      ]),
    { labels, aggregator: 'max' },
  )
  gauge(
    'understudy_mirror_live_percent',
    'Share of live requests for the candidate, %, as the routing says; the primary may answer them all the same (breaker_open)',
    () =>
      understudies()
        .filter(({ isNoiseFloor }) => !isNoiseFloor)
        .map(({ validation }) => [routing().document.validations[validation]?.livePercent ?? 0, { validation }]),
    { labels, aggregator: 'max' },
  )
  gauge(
    'understudy_mirror_routing_version',
    'Of the routing in force; 0 before there is any',
    () => routing().document.version,
    { aggregator: 'min' },
  )
  counter(
    'understudy_mirror_malformed_routing_total',
    'Routing documents that were none',
    () => follower?.malformed ?? 0,
  )
  gauge(
    'understudy_mirror_routing_unstored',
    '1 while the disk does not take the routing in force, so that a restart could begin with an older one',
    () => (follower?.isUnstored ? 1 : 0),
    { aggregator: 'max' },
  )
  gauge(
    'understudy_mirror_upstream_healthy',
    '1 while the health check of this one of the primaries goes well',
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
    'Names of upstreams that can not be resolved now; their last address is used',
    namesInDoubt,
    { aggregator: 'max' },
  )
  gauge('understudy_mirror_client_connections', 'Open connections of clients', () => parts.frontDoor.connections)
  gauge(
    'understudy_mirror_requests_in_flight',
    'Live requests that have begun and not ended',
    () => stages.requestsInFlight,
  )
  gauge('understudy_mirror_open_exchanges', 'Exchanges that still hold something', () => stages.openExchanges)
  gauge('understudy_mirror_held_bytes', 'Held in memory, of capture.memoryMax', () => budget.held)
  gauge('understudy_mirror_held_max_bytes', 'capture.memoryMax', () => budget.bytesMax)
  gauge('understudy_mirror_spool_bytes', 'On disk, of spool.sizeMax', () => spool?.bytes ?? 0)
  gauge('understudy_mirror_spool_max_bytes', 'spool.sizeMax', () => parts.spoolMax)
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
    '1 while the spool does not take what it is given, or can not be read',
    () => (outbox.isDiskFailing ? 1 : 0),
    { aggregator: 'max' },
  )
  counter(
    'understudy_mirror_coverage_reports_lost_total',
    'Coverage reports that made room unsent',
    () => parts.coverage?.lost ?? 0,
  )
  counter(
    'understudy_mirror_access_log_left_out_total',
    'Failed requests beyond what the access log takes in a second',
    () => parts.accessLog.leftOut,
  )
  counter(
    'understudy_mirror_spans_total',
    'Spans by what became of them; none without tracing',
    () => Object.entries(parts.tracing?.counts ?? {}).map(([result, count]) => [count, { result }]),
    { labels: ['result'] },
  )
  counter(
    'understudy_mirror_refused_total',
    'What was no request, or came too slowly, by the status it was answered with',
    () => Array.from(parts.refused.counts, ([status, count]) => [count, { status }]),
    { labels: ['status'] },
  )
  gauge(
    'understudy_mirror_build_info',
    '1, by version',
    () => [[1, { version: packageJson.version, node: process.version }]],
    { labels: ['version', 'node'], aggregator: 'first' },
  )
}
