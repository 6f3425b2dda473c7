import { beforeAll, describe, expect, test } from 'vitest'
import { dropReasons } from '../../candidate-server/model/infer-outcome.ts'
import { createReloader } from '../../candidate-server/reload.ts'
import { unservedReasons } from '../../mirror/workers/shared-port.ts'
import { createLogger } from '../../runtime/logger.ts'
import { skipReasons } from '../../vocabulary/coverage.ts'
import { legs } from '../../vocabulary/leg.ts'
import { failureKinds } from '../../vocabulary/outcome.ts'
import { verdicts } from '../../vocabulary/verdict.ts'
import { modelFile, startTestCandidateServer } from '../support/services.ts'
import { read, yaml } from './deployed.ts'

interface Metric {
  type: string
  labels: readonly string[]
}

const alerts: any[] = yaml('deploy/grafana/alerts.yaml').groups.flatMap(({ rules }: any) => rules)
const dashboard = JSON.parse(read('deploy/grafana/dashboard.json'))
const targets: { expr: string; legendFormat: string }[] = dashboard.panels.flatMap(({ targets = [] }: any) => targets)

/** The values that an expression may use for each label of our metrics. */
const labelValues: Record<string, readonly string[]> = {
  class: ['1xx', '2xx', '3xx', '4xx', '5xx'],
  end: ['answered', 'delivered', ...failureKinds, ...skipReasons],
  live: legs,
  reason: [...dropReasons, ...failureKinds, ...unservedReasons],
  result: ['applied', 'refused', 'replanned', 'failed', 'moved back'],
  verdict: verdicts,
}

/** Problems with a PromQL expression's use of our metrics. */
function problemsOf(expr: string, metrics: ReadonlyMap<string, Metric>): string[] {
  const problems: string[] = []
  const known = new Set(['instance', 'le'])
  const used = [...expr.matchAll(/(?:(\w+)\()?(understudy_\w+)(?:\{([^}]*)\})?/g)]
  if (used.length === 0) problems.push('no metric of ours')
  for (const [, taken, name, matchers = ''] of used) {
    const histogram = metrics.get(name!.replace(/_(bucket|sum|count)$/, ''))
    const metric = metrics.get(name!) ?? (histogram?.type === 'histogram' ? histogram : undefined)
    if (!metric) {
      problems.push(`there is no ${name}`)
      continue
    }
    for (const label of metric.labels) known.add(label)
    if (metric === metrics.get(name!) && metric.type === 'histogram') problems.push(`${name} has no value of its own`)
    const isRate = taken === 'rate' || taken === 'increase'
    const fits = taken === 'absent' || (metric.type === 'gauge' ? !isRate : isRate)
    if (!fits) problems.push(`${name} is a ${metric.type}`)
    for (const [, label, value] of matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"([^"]*)"/g)) {
      if (!metric.labels.includes(label!)) problems.push(`${name} has no label ${label}`)
      const wrong = value!.split('|').filter((one) => !labelValues[label!]?.includes(one))
      if (wrong.length > 0) problems.push(`${label} is never ${wrong.join(', ')}`)
    }
  }
  for (const label of labelsBy(expr) ?? []) if (!known.has(label)) problems.push(`nothing has the label ${label}`)
  return problems
}

/** The labels that an aggregation keeps; undefined without an aggregation. */
function labelsBy(expr: string): string[] | undefined {
  const by = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/))
  if (by.length > 0) return by
  return /^(sum|max|min)\(/.test(expr) ? [] : undefined
}

describe('Grafana and Prometheus', () => {
  const metrics = new Map<string, Metric>()
  /** A candidate server's metrics before any request. */
  let candidatePage = ''

  /** Each metric with its labels; unit tests check that docs/OPERATIONS.md matches what services register. */
  beforeAll(async () => {
    const rows = read('docs/OPERATIONS.md').matchAll(/^\| `(understudy_\w+)` \| (\w+) \| ((?:`\w+`(?:, )?)*) ?\|/gm)
    for (const [, name, type, labels] of rows) metrics.set(name!, { type: type!, labels: labels!.match(/\w+/g) ?? [] })
    const model = { name: 'diabetes', version: '1', path: modelFile('diabetes-student-int8.onnx') }
    const server = await startTestCandidateServer([model])
    const { registry } = server
    createReloader('-', {} as any, server, createLogger('test', 'error'))
    const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
    for (const metric of registry.getMetricsAsArray()) {
      const { name, labelNames } = metric as unknown as { name: string; labelNames: string[] }
      metrics.set(name, { type: types.get(name)!, labels: labelNames })
    }
    candidatePage = await registry.metrics()
    await server.stop()
    expect([...metrics.keys()].filter((name) => name.startsWith('understudy_')).length).toBeGreaterThan(60)
  })

  test('the dashboard queries existing metrics', () => {
    expect(targets.length).toBeGreaterThan(20)
    expect(targets.flatMap(({ expr }) => problemsOf(expr, metrics).map((problem) => `${expr}: ${problem}`))).toEqual([])
  })

  test('alerts query existing metrics', () => {
    expect(alerts.length).toBeGreaterThan(15)
    expect(
      alerts.flatMap(({ alert, expr }) => problemsOf(expr, metrics).map((problem) => `${alert}: ${problem}`)),
    ).toEqual([])
  })

  test('counters whose increase raises an alert exist before the first event', () => {
    const counted = alerts.flatMap(({ expr }) => [
      ...expr.matchAll(/increase\((understudy_candidate_\w+)\{(result="\w+")\}/g),
    ])
    expect(counted.length).toBeGreaterThanOrEqual(3)
    for (const [, name, result] of counted) {
      expect(candidatePage).toMatch(new RegExp(`^${name}\\{(.*,)?${result}\\} 0$`, 'm'))
    }
  })

  test('labels in legends and summaries exist', () => {
    const labelsOf = (expr: string) =>
      labelsBy(expr) ?? ['instance', ...(metrics.get(/understudy_\w+/.exec(expr)![0])?.labels ?? [])]
    const missing = (expr: string, names: string[]) => names.filter((name) => !labelsOf(expr).includes(name))
    const legends = targets.flatMap(({ expr, legendFormat }) =>
      missing(
        expr,
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!),
      ),
    )
    const summaries = alerts.flatMap(({ expr, annotations }) =>
      missing(
        expr,
        [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, name]) => name!),
      ),
    )
    expect([...legends, ...summaries]).toEqual([])
  })

  test('an expression with an unknown metric or label would be found', () => {
    const good = 'sum by (end) (rate(understudy_mirror_request_seconds_count{end!="answered"}[5m]))'
    expect(problemsOf(good, metrics)).toEqual([])
    for (const [from, to] of [
      ['mirror_request', 'mirror_requests'],
      ['_count', ''],
      ['by (end)', 'by (validation)'],
      ['{end', '{outcome'],
      ['answered', 'answerd'],
      ['rate(', 'sum('],
    ] as const) {
      expect(problemsOf(good.replace(from, to), metrics), to).not.toEqual([])
    }
  })

  test('every alert waits, says what to do, and has its own name', () => {
    for (const rule of alerts) {
      expect(rule).toMatchObject({
        for: expect.stringMatching(/^\d+m$/),
        labels: { severity: expect.stringMatching(/^(page|ticket)$/) },
        annotations: { summary: expect.stringMatching(/\w\.$/) },
      })
    }
    const names = alerts.map(({ alert }) => alert)
    expect(names.length).toBe(new Set(names).size)
  })

  test('docs/OPERATIONS.md has every alert with its severity, and only metrics that alerts look at', () => {
    const [, rest] = read('docs/OPERATIONS.md').split('\n## Alerts\n')
    const section = rest!.split('\n## ')[0]!
    const rows = [...section.matchAll(/^\| `(\w+)` \*\*(\w+)\*\* \|/gm)].map(([, alert, severity]) => [alert, severity])
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(alerts.map(({ alert, labels }) => [alert, labels.severity])),
    )
    const exprs = alerts.map(({ expr }) => expr).join('\n')
    const told = section.match(/understudy_(?:mirror|candidate|comparator)_\w+/g)!
    // how full the spool is, once its alert has fired
    const onlyTold = ['understudy_mirror_spool_bytes', 'understudy_mirror_spool_max_bytes']
    expect(told.filter((name) => !exprs.includes(name) && !onlyTold.includes(name))).toEqual([])
  })

  test('panels have unique ids and do not overlap', () => {
    const ids = dashboard.panels.map(({ id }: any) => id)
    expect(ids.length).toBe(new Set(ids).size)
    const places = dashboard.panels.map(({ gridPos: { x, y } }: any) => `${x} ${y}`)
    expect(places.length).toBe(new Set(places).size)
  })
})
