import { Counter, createRegistry, Histogram, metricsOnDemand, type Registry } from '../../runtime/metrics-registry.ts'
import type { AcceptReceipt } from '../../vocabulary/observation.ts'
import { type Verdict, verdicts } from '../../vocabulary/verdict.ts'
import type { Arrivals } from '../jobs/arrivals.ts'
import { observationRefusals } from '../jobs/intake/parse-observation.ts'
import type { PromotionRow } from '../store/database/tables.ts'

export interface ComparatorMetrics {
  registry: Registry
  acceptSeconds: Histogram
  countReceipt(receipt: AcceptReceipt): void
  countWrongToken(): void
}

/** Read at each scrape. */
interface MetricSources {
  arrivals: Arrivals
  /** Each validation's verdict of its newest evaluation. */
  newestVerdicts: () => Promise<ReadonlyMap<string, Verdict>>
  promoted: () => Promise<Pick<PromotionRow, 'validation' | 'harms_since'>[]>
  deliveriesWaiting: () => Promise<number>
  /** By validation. */
  bodiesDropped: ReadonlyMap<string, number>
}

export function createMetrics(sources: MetricSources): ComparatorMetrics {
  const { arrivals, newestVerdicts, promoted, deliveriesWaiting, bodiesDropped } = sources
  const registry = createRegistry()
  const registers = [registry]
  const accepted = new Counter({
    name: 'understudy_comparator_observations_accepted_total',
    help: 'Observations compared and stored',
    registers,
  })
  const duplicates = new Counter({
    name: 'understudy_comparator_observations_duplicate_total',
    help: 'Observations already accepted before',
    registers,
  })
  const rejected = new Counter({
    name: 'understudy_comparator_observations_rejected_total',
    help: 'Observations refused, by code',
    labelNames: ['code'],
    registers,
  })
  // increase() cannot see the first count of a series that did not exist before it
  for (const code of observationRefusals) rejected.inc({ code }, 0)
  const acceptSeconds = new Histogram({
    name: 'understudy_comparator_accept_seconds',
    help: 'Time to compare and store one bundle',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const wrongTokens = new Counter({
    name: 'understudy_comparator_wrong_tokens_total',
    help: 'Unknown tokens, and OpenID Connect answers that failed verification',
    registers,
  })
  const { gauge, counter } = metricsOnDemand(registry)
  const labels = ['validation']
  gauge(
    'understudy_comparator_quiet',
    '1 if nothing has arrived for quietAfter and the validation has not been decided against',
    () => arrivals.list().map(({ validation, isQuiet }) => [isQuiet ? 1 : 0, { validation }]),
    { labels },
  )
  gauge(
    'understudy_comparator_last_seen_timestamp_seconds',
    "When an observation or a mirror's exchange counts last arrived; absent before the first",
    () =>
      arrivals
        .list()
        .flatMap(({ validation, lastSeenAt }) =>
          lastSeenAt === undefined ? [] : [[lastSeenAt / 1000, { validation }] as const],
        ),
    { labels },
  )
  gauge(
    'understudy_comparator_gate_verdict',
    "1 for the verdict of the gate's latest evaluation, 0 for the other two; absent before the first",
    async () =>
      [...(await newestVerdicts())].flatMap(([validation, newest]) =>
        verdicts.map((verdict) => [verdict === newest ? 1 : 0, { validation, verdict }] as const),
      ),
    { labels: ['validation', 'verdict'] },
  )
  gauge(
    'understudy_comparator_live_harm',
    '1 if the live gate of the promoted candidate failed and has not passed since, else 0; absent if nothing is promoted',
    async () => (await promoted()).map(({ validation, harms_since }) => [harms_since ? 1 : 0, { validation }]),
    { labels },
  )
  counter(
    'understudy_comparator_bodies_dropped_total',
    'Bodies not kept because of store.bytesMax',
    // from zero, as the rejections
    () => arrivals.list().map(({ validation }) => [bodiesDropped.get(validation) ?? 0, { validation }]),
    { labels },
  )
  gauge(
    'understudy_comparator_webhook_deliveries_waiting',
    'Webhook deliveries not yet accepted by their receivers',
    deliveriesWaiting,
  )
  return {
    registry,
    acceptSeconds,
    countReceipt(receipt) {
      accepted.inc(receipt.accepted)
      duplicates.inc(receipt.duplicates)
      for (const { code } of receipt.rejected) rejected.inc({ code })
    },
    countWrongToken: () => wrongTokens.inc(),
  }
}
