import { AggregatorRegistry } from 'prom-client'
import type { Registry } from '../../runtime/metrics-registry.ts'
import type { Accounts } from '../admin.ts'

export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>
type MetricJson = MetricsJson[number]

/** Metrics taken from the summed ledgers, which know what successors resumed. */
const ledgerValues: Record<string, (accounts: Accounts) => MetricJson['values']> = {
  understudy_mirror_exchanges_total: (accounts) =>
    Object.entries(accounts).flatMap(([validation, { delivered, skipped }]) =>
      Object.entries({ delivered, ...skipped }).map(([end, value]) => ({ value, labels: { validation, end } })),
    ),
  understudy_mirror_seen_total: (accounts) =>
    Object.entries(accounts).map(([validation, { seen }]) => ({ value: seen, labels: { validation } })),
  understudy_mirror_pending: (accounts) =>
    Object.entries(accounts).map(([validation, { pending }]) => ({ value: pending, labels: { validation } })),
}

/** Merges the metrics of several processes into one page: sums, unless a metric names another aggregator. */
export function mergeMetrics(parts: readonly MetricsJson[], accounts: Accounts): Promise<string> {
  const own: MetricJson[] = Object.entries(ledgerValues).flatMap(([name, valuesOf]) => {
    const like = parts.flat().find((metric) => metric.name === name)
    return like ? [{ ...like, aggregator: 'first' as const, values: valuesOf(accounts) }] : []
  })
  const others = parts.map((metrics) => metrics.filter(({ name }) => !(name in ledgerValues)))
  return aggregate([...others, own]).metrics()
}

/** The metrics of ended processes that still count: those that only ever increase, even if they are read on demand. */
export function keepCounters(parts: readonly MetricsJson[]): Promise<MetricsJson> {
  const counters = parts.map((metrics) =>
    metrics.filter(({ name, type }) => {
      const kind = String(type)
      return kind === 'counter' || kind === 'histogram' || name.endsWith('_total')
    }),
  )
  return aggregate(counters).getMetricsAsJSON()
}

function aggregate(parts: readonly MetricsJson[]): Registry {
  return AggregatorRegistry.aggregate([...parts]) as unknown as Registry
}
