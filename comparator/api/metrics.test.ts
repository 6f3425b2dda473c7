import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { createLogger } from '../../runtime/logger.ts'
import { Arrivals } from '../jobs/arrivals.ts'
import { createMetrics } from './metrics.ts'

test('docs/OPERATIONS.md has every metric of the comparator, as it is', async () => {
  const arrivals = new Arrivals([], systemClock, createLogger('comparator', 'silent'))
  const { registry } = createMetrics({
    arrivals,
    newestVerdicts: async () => new Map(),
    deliveriesWaiting: async () => 0,
    bodiesDropped: new Map(),
  })
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
  const rows = registry
    .getMetricsAsArray()
    .map((metric) => metric as unknown as { name: string; help: string; labelNames: string[] })
    .filter(({ name }) => name.startsWith('understudy_'))
    .map(({ name, help, labelNames }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${types.get(name)} | ${labels} | ${help} |`
    })
  expect(rows.length).toBeGreaterThanOrEqual(9)
  const docs = await readFile('docs/OPERATIONS.md', 'utf8')
  expect(rows.filter((row) => !docs.includes(`${row}\n`)).join('\n')).toBe('')
})
