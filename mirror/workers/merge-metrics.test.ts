import { expect, test } from 'vitest'
import { Counter, createRegistry, Gauge, Histogram } from '../../runtime/metrics-registry.ts'
import { QuickHistogram } from '../../runtime/quick-histogram.ts'
import { keepCounters, mergeMetrics } from './merge-metrics.ts'

/** Metrics like a worker's, with numbers of their own. */
function worker(n: number) {
  const registry = createRegistry({ processMetrics: false })
  const registers = [registry]
  new Counter({ name: 'errors_total', help: '-', labelNames: ['doing'], registers }).inc({ doing: 'x' }, n)
  new Histogram({ name: 'request_seconds', help: '-', buckets: [1, 10], registers }).observe(n)
  const waits = { help: '-', buckets: [0.1, 1], labelNames: ['p', 'q'] as const }
  new Histogram({ ...waits, name: 'slow_seconds', registers }).observe({ p: 'a', q: 'x' }, n)
  new QuickHistogram({ ...waits, name: 'quick_seconds', registry }).of('a', 'x').observe(n)
  new Gauge({ name: 'held_bytes', help: '-', registers }).set(n)
  new Gauge({ name: 'damaged_total', help: '-', registers }).set(n)
  new Gauge({ name: 'spooling', help: '-', aggregator: 'max', registers }).set(n > 2 ? 1 : 0)
  new Gauge({ name: 'quiet', help: '-', aggregator: 'min', registers }).set(n > 2 ? 1 : 0)
  new Gauge({ name: 'understudy_mirror_seen_total', help: '-', labelNames: ['validation'], registers }).set(
    { validation: 'v' },
    n,
  )
  return registry.getMetricsAsJSON()
}

const accounts = { v: { seen: 100, delivered: 90, pending: 4, skipped: { shed: 6 } } }

test('workers’ metrics are summed, unless a metric says otherwise', async () => {
  const page = await mergeMetrics([await worker(2), await worker(3)], accounts)
  expect(page).toContain('errors_total{doing="x"} 5\n')
  expect(page).toContain('request_seconds_bucket{le="10"} 2\n')
  expect(page).toContain('request_seconds_sum 5\n')
  expect(page).toContain('held_bytes 5\n')
  expect(page).toContain('spooling 1\n')
  expect(page).toContain('quiet 0\n')
})

test('our own histograms add up like prom-client’s', async () => {
  const page = await mergeMetrics([await worker(2), await worker(3)], accounts)
  const linesOf = (name: string) => page.split('\n').filter((line) => line.startsWith(`${name}_`))
  expect(linesOf('quick').map((line) => line.replace('quick', 'slow'))).toEqual(linesOf('slow'))
  expect(page).toContain('quick_seconds_sum{p="a",q="x"} 5\n')
})

test('ledger metrics come from the summed accounts', async () => {
  const page = await mergeMetrics([await worker(2), await worker(3)], accounts)
  expect(page).toContain('understudy_mirror_seen_total{validation="v"} 100\n')
})

test('an ended worker leaves its counters but no gauges', async () => {
  const kept = await keepCounters([await worker(2), await keepCounters([await worker(3)])])
  const page = await mergeMetrics([kept, await worker(4)], accounts)
  expect(page).toContain('errors_total{doing="x"} 9\n')
  expect(page).toContain('request_seconds_count 3\n')
  expect(page).toContain('damaged_total 9\n')
  expect(page).toContain('held_bytes 4\n')
})
