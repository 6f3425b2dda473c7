import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { createLogger } from '../../runtime/logger.ts'
import { Arrivals } from '../jobs/arrivals.ts'
import { createMetrics } from './prometheus-metrics.ts'

const metrics = () =>
  createMetrics({
    arrivals: new Arrivals([], systemClock, createLogger('comparator', 'silent')),
    newestVerdicts: async () => new Map(),
    promoted: async () => [],
    deliveriesWaiting: async () => 0,
    bodiesDropped: new Map(),
  })

test('docs/OPERATIONS.md lists every metric of the comparator with its type, labels and help', async () => {
  const { registry } = metrics()
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

test('rejection counters start at zero, so that an increase shows the first rejection', async () => {
  const { registry, countReceipt } = metrics()
  const rejected = async () =>
    [...(await registry.metrics()).matchAll(/_rejected_total\{code="(\w+)"\} (\d+)/g)].map(([, code, n]) => [code, n])
  const page = await readFile('docs/ERRORS.md', 'utf8')
  const before = await rejected()
  expect(before.map(([, n]) => n)).toEqual(['0', '0', '0', '0', '0'])
  for (const [code] of before) expect(page).toContain(`| \`${code}\` |`)
  countReceipt({ accepted: 0, duplicates: 0, rejected: [{ index: 0, code: 'TOO_OLD', message: 'x' }] })
  expect(await rejected()).toContainEqual(['TOO_OLD', '1'])
})
