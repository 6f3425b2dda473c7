import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { createLogger } from '../../runtime/logger.ts'
import { Arrivals } from '../jobs/arrivals.ts'
import { createMetrics } from './prometheus-metrics.ts'

const metrics = (more: Partial<Parameters<typeof createMetrics>[0]> = {}) =>
  createMetrics({
    arrivals: new Arrivals([], systemClock, createLogger('comparator', 'silent')),
    newestVerdicts: async () => new Map(),
    promoted: async () => [],
    deliveriesWaiting: async () => 0,
    bodiesDropped: new Map(),
    ...more,
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

test('every validation has its count of dropped bodies from the first scrape on', async () => {
  const validations = ['a', 'b'].map((name) => ({ name, config: { quietAfter: 1000 } }))
  const arrivals = new Arrivals(validations, systemClock, createLogger('comparator', 'silent'))
  const { registry } = metrics({ arrivals, bodiesDropped: new Map([['b', 4]]) })
  const dropped = (await registry.metrics()).matchAll(/_bodies_dropped_total(\{.*)/g)
  expect(Array.from(dropped, ([, series]) => series)).toEqual(['{validation="a"} 0', '{validation="b"} 4'])
})

test('what alerts are raised on is reported as it is', async () => {
  const { registry, countReceipt, countWrongToken } = metrics({
    newestVerdicts: async () => new Map([['a', 'fail']]),
    promoted: async () => [
      { validation: 'a', harms_since: new Date() },
      { validation: 'b', harms_since: null },
    ],
    deliveriesWaiting: async () => 3,
  })
  countReceipt({ accepted: 5, duplicates: 2, rejected: [] })
  countWrongToken()
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('understudy_'))
  const told = lines.filter((line) => !/_(seconds|rejected)_/.test(line))
  expect(told.map((line) => line.replace('understudy_comparator_', ''))).toEqual([
    'observations_accepted_total 5',
    'observations_duplicate_total 2',
    'wrong_tokens_total 1',
    'gate_verdict{validation="a",verdict="pass"} 0',
    'gate_verdict{validation="a",verdict="fail"} 1',
    'gate_verdict{validation="a",verdict="inconclusive"} 0',
    'live_harm{validation="a"} 1',
    'live_harm{validation="b"} 0',
    'webhook_deliveries_waiting 3',
  ])
})
