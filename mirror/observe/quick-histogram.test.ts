import { expect, test } from 'vitest'
import { createRegistry, Histogram } from '../../runtime/metrics-registry.ts'
import { mergeMetrics } from '../workers/merge-metrics.ts'
import { QuickHistogram } from './quick-histogram.ts'

const described = { name: 'wait_seconds', help: 'Waiting', buckets: [0.001, 0.1, 1] }
const observed: [string, string, number][] = [
  ['a', 'x', 0.001],
  ['a', 'x', 0.0011],
  ['a', 'y', 0],
  ['b', 'x', 7],
  ['b', 'x', 1],
  ['b', 'x', 1e-9],
]

function both() {
  const registry = createRegistry({ processMetrics: false })
  const theirs = createRegistry({ processMetrics: false })
  const quick = new QuickHistogram({ ...described, labelNames: ['p', 'q'], registry })
  const peer = new Histogram({ ...described, labelNames: ['p', 'q'], registers: [theirs] })
  for (const [p, q, value] of observed) {
    quick.observe(p, q, value)
    peer.observe({ p, q }, value)
  }
  return { registry, theirs }
}

test('it says what prom-client’s own says, to the byte', async () => {
  const { registry, theirs } = both()
  expect(await registry.metrics()).toBe(await theirs.metrics())
})

test('several processes’ add up as prom-client’s own do', async () => {
  const [first, second] = [both(), both()]
  const merged = (parts: (typeof first.registry)[]) =>
    Promise.all(parts.map((part) => part.getMetricsAsJSON())).then((json) => mergeMetrics(json, {}))
  const text = await merged([first.registry, second.registry])
  expect(text).toBe(await merged([first.theirs, second.theirs]))
  expect(text).toContain('wait_seconds_count{p="b",q="x"} 6\n')
})
