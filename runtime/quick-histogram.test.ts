import { expect, test } from 'vitest'
import { createRegistry, Histogram } from './metrics-registry.ts'
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
    quick.of(p, q).observe(value)
    peer.observe({ p, q }, value)
  }
  return { registry, theirs }
}

test('its output equals that of prom-client’s own, byte for byte', async () => {
  const { registry, theirs } = both()
  expect(await registry.metrics()).toBe(await theirs.metrics())
})

test('one label is enough', async () => {
  const registry = createRegistry({ processMetrics: false })
  const theirs = createRegistry({ processMetrics: false })
  const series = new QuickHistogram({ ...described, labelNames: ['p'], registry }).of('a')
  const peer = new Histogram({ ...described, labelNames: ['p'], registers: [theirs] })
  for (const value of [0.05, 2]) {
    series.observe(value)
    peer.observe({ p: 'a' }, value)
  }
  expect(await registry.metrics()).toBe(await theirs.metrics())
})
