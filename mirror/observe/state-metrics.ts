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
  const byValidation = ['validation']

  counter(
    'understudy_mirror_exchanges_total',
    { help: 'Exchanges by how they ended: delivered or why not', labels: ['validation', 'end'] },
    (set) => {
      for (const [validation, { delivered, skipped }] of accounts()) {
        set(delivered, { validation, end: 'delivered' })
        for (const [reason, count] of Object.entries(skipped)) set(count, { validation, end: reason })
      }
    },
  )
  counter('understudy_mirror_seen_total', { help: 'Exchanges seen', labels: byValidation }, (set) => {
    for (const [validation, { seen }] of accounts()) set(seen, { validation })
  })
  gauge(
    'understudy_mirror_pending',
    { help: 'Exchanges that have not come to their end', labels: byValidation },
    (set) => {
      for (const [validation, { pending }] of accounts()) set(pending, { validation })
    },
  )
  gauge(
    'understudy_mirror_quiet',
    { help: '1 where no exchange arrived for quietAfter', labels: byValidation, aggregator: 'min' },
    (set) => {
      for (const { validation, isQuiet } of stages.current.quietRoutes.arriving) set(isQuiet ? 1 : 0, { validation })
    },
  )
  gauge(
    'understudy_mirror_last_seen_timestamp_seconds',
    {
      help: 'When an exchange last arrived, within a second; absent before the first since the start',
      labels: byValidation,
      aggregator: 'max',
    },
    (set) => {
      for (const { validation, lastSeenAt } of stages.current.quietRoutes.arriving) {
        if (lastSeenAt !== undefined) set(lastSeenAt / 1000, { validation })
      }
    },
  )
  gauge('understudy_mirror_shadows_waiting', { help: 'Shadow requests in the queue', labels: byValidation }, (set) => {
    for (const { validation, shadows } of stages.current.understudies) set(shadows.waiting, { validation })
  })
  gauge(
    'understudy_mirror_shadows_in_flight',
    { help: 'Shadow requests being answered', labels: byValidation },
    (set) => {
      for (const { validation, shadows } of stages.current.understudies) set(shadows.inFlight, { validation })
    },
  )
  gauge(
    'understudy_mirror_breaker_open',
    {
      help: '1 while shadow requests are turned away, but for probes, and live ones go to the primary, as the upstream fails or its answers are too large to be compared',
      labels: byValidation,
      aggregator: 'max',
    },
    (set) => {
      for (const { validation, shadows, reverseShadows } of stages.current.understudies) {
        set(shadows.isBreakerOpen || reverseShadows.isBreakerOpen ? 1 : 0, { validation })
      }
    },
  )
  gauge(
    'understudy_mirror_live_percent',
    {
      help: 'Share of live requests for the candidate, %, as the routing says',
      labels: byValidation,
      aggregator: 'max',
    },
    (set) => {
      for (const { validation, isNoiseFloor } of stages.current.understudies) {
        if (!isNoiseFloor) set(routing().document.validations[validation]?.livePercent ?? 0, { validation })
      }
    },
  )
  gauge(
    'understudy_mirror_routing_version',
    { help: 'Of the routing in force; 0 before there is any', aggregator: 'min' },
    (set) => set(routing().document.version),
  )
  counter('understudy_mirror_malformed_routing_total', { help: 'Routing documents that were none' }, (set) =>
    set(follower?.malformed ?? 0),
  )
  gauge(
    'understudy_mirror_routing_unstored',
    {
      help: '1 while the disk does not take the routing in force, so that a restart could begin with an older one',
      aggregator: 'max',
    },
    (set) => set(follower?.isUnstored ? 1 : 0),
  )
  gauge(
    'understudy_mirror_upstream_healthy',
    {
      help: '1 while the health check of this one of the primaries goes well',
      labels: ['upstream'],
      aggregator: 'min',
    },
    (set) => {
      const { upstreams, healthy } = stages.current.primary
      for (const upstream of upstreams) {
        set(healthy.includes(upstream) ? 1 : 0, { upstream: upstream.target.socketPath ?? upstream.target.host })
      }
    },
  )
  gauge(
    'understudy_mirror_names_in_doubt',
    { help: 'Names of upstreams that can not be resolved now; their last address is used', aggregator: 'max' },
    (set) => set(namesInDoubt()),
  )
  gauge('understudy_mirror_client_connections', { help: 'Open connections of clients' }, (set) =>
    set(parts.frontDoor.connections),
  )
  gauge('understudy_mirror_requests_in_flight', { help: 'Live requests that have begun and not ended' }, (set) =>
    set(stages.requestsInFlight),
  )
  gauge('understudy_mirror_open_exchanges', { help: 'Exchanges that still hold something' }, (set) =>
    set(stages.openExchanges),
  )
  gauge('understudy_mirror_held_bytes', { help: 'Held in memory, of capture.memoryMax' }, (set) => set(budget.held))
  gauge('understudy_mirror_held_max_bytes', { help: 'capture.memoryMax' }, (set) => set(budget.bytesMax))
  gauge('understudy_mirror_spool_bytes', { help: 'On disk, of spool.sizeMax' }, (set) => set(spool?.bytes ?? 0))
  gauge('understudy_mirror_spool_max_bytes', { help: 'spool.sizeMax' }, (set) => set(parts.spoolMax))
  counter('understudy_mirror_spool_damaged_total', { help: 'Spool segments found damaged since the start' }, (set) =>
    set(spool?.damagedCount ?? 0),
  )
  gauge('understudy_mirror_spooling', { help: '1 while observations go to disk', aggregator: 'max' }, (set) =>
    set(outbox.mode === 'spooling' ? 1 : 0),
  )
  gauge(
    'understudy_mirror_disk_failing',
    { help: '1 while the spool does not take what it is given, or can not be read', aggregator: 'max' },
    (set) => set(outbox.isDiskFailing ? 1 : 0),
  )
  counter('understudy_mirror_coverage_reports_lost_total', { help: 'Coverage reports that made room unsent' }, (set) =>
    set(parts.coverage?.lost ?? 0),
  )
  counter(
    'understudy_mirror_access_log_left_out_total',
    { help: 'Failed requests beyond what the access log takes in a second' },
    (set) => set(parts.accessLog.leftOut),
  )
  counter(
    'understudy_mirror_spans_total',
    { help: 'Spans by what became of them; none without tracing', labels: ['result'] },
    (set) => {
      for (const [result, count] of Object.entries(parts.tracing?.counts ?? {})) set(count, { result })
    },
  )
  counter(
    'understudy_mirror_refused_total',
    { help: 'What was no request, or came too slowly, by the status it was answered with', labels: ['status'] },
    (set) => {
      for (const [status, count] of parts.refused.counts) set(count, { status: String(status) })
    },
  )
  gauge(
    'understudy_mirror_build_info',
    { help: '1, by version', labels: ['version', 'node'], aggregator: 'first' },
    (set) => set(1, { version: packageJson.version, node: process.version }),
  )
}
