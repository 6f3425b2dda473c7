import { glob, readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { guarded } from '../guard.ts'
import { createReloader } from '../reload.ts'
import { startMirror } from '../server.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { mirrorConfig, send, tempDir, withAdmin } from '../testing/mirror-under-test.ts'

interface Described {
  name: string
  help: string
  type: string
  labels: string[]
}

/** A mirror in which everything has happened once, so that every metric has its labels. */
async function busyMirror() {
  const primary = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const { logger } = loggerUnderTest()
  const config = mirrorConfig({
    spool: { dir: tempDir() },
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: [
      { path: '/p', candidates: [{ validation: 'v', url: primary.url }], noiseFloor: { validation: 'n', share: 1 } },
    ],
  })
  const started = await startMirror({ config, logger })
  onTestFinished(() => started.stop())
  createReloader('-', config, started, logger)
  const mirror = withAdmin(started)
  await send(`${mirror.url}/p`, { body: '12345' })
  await mirror.settled('v', 1)
  await mirror.settled('n', 1)
  return { mirror, registry: started.registry }
}

async function describedBy({ registry }: Awaited<ReturnType<typeof busyMirror>>): Promise<Described[]> {
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('understudy_'))
    .map((metric) => {
      const { name, help, labelNames } = metric as unknown as { name: string; help: string; labelNames: string[] }
      return { name, help, type: types.get(name)!, labels: labelNames }
    })
}

/** The rules of `promtool check metrics`, and our own prefix. */
function problemsOf({ name, help, type, labels }: Described): string[] {
  const rules: [boolean, string][] = [
    [/^understudy_mirror_[a-z0-9]+(_[a-z0-9]+)*$/.test(name), 'the prefix, then words in lower case'],
    [help.length > 0, 'help'],
    [(type === 'counter') === name.endsWith('_total'), '_total on counters and nothing else'],
    [!/_(milliseconds|ms|minutes|hours|kilobytes|kb|mb|megabytes)(_|$)/.test(name), 'base units: seconds, bytes'],
    [!/_(seconds|bytes)_(?!total$)/.test(name), 'the unit last'],
    [!/_(gauge|counter|histogram|summary)(_|$)/.test(name), 'no type in the name'],
    [type !== 'histogram' || /_(seconds|bytes)$/.test(name), 'a unit on histograms'],
    [!/_(count|sum|bucket)$/.test(name), 'no suffix that histograms have'],
    [labels.every((label) => /^[a-z][a-z_]*$/.test(label) && label !== 'le'), 'labels in lower case'],
  ]
  return rules.filter(([isKept]) => !isKept).map(([, rule]) => `${name} breaks: ${rule}`)
}

test('the metrics’ names follow Prometheus’s conventions', async () => {
  const described = await describedBy(await busyMirror())
  expect(described.length).toBeGreaterThan(25)
  expect(described.flatMap(problemsOf)).toEqual([])
})

test('the check finds a name that breaks a convention', () => {
  const good = { name: 'understudy_mirror_wait_seconds', help: 'x', type: 'histogram', labels: [] }
  expect(problemsOf(good)).toEqual([])
  for (const bad of [
    { name: 'mirror_wait_seconds' },
    { help: '' },
    { name: 'understudy_mirror_wait_total' },
    { name: 'understudy_mirror_wait_ms' },
    { name: 'understudy_mirror_seconds_waited' },
    { labels: ['Validation'] },
  ]) {
    expect(problemsOf({ ...good, ...bad }), JSON.stringify(bad)).not.toEqual([])
  }
})

test('counters have their type on the page, and keep increasing from one page to the next', async () => {
  const { mirror } = await busyMirror()
  const page = async () => (await mirror.admin('/metrics')).text
  const text = await page()
  for (const name of ['seen', 'exchanges', 'request_bytes', 'malformed_routing', 'shadow_outcomes']) {
    expect(text).toContain(`# TYPE understudy_mirror_${name}_total counter\n`)
  }
  expect(text).toContain('understudy_mirror_request_bytes_total 5\n')
  expect(text).toContain('understudy_mirror_response_bytes_total 2\n')
  expect(text).toContain('understudy_mirror_seen_total{validation="v"} 1\n')
  expect(text).toContain(
    'understudy_mirror_shadow_outcomes_total{validation="v",leg="candidate",outcome="answered"} 1\n',
  )
  expect(text).toContain('understudy_mirror_shadow_seconds_count{validation="n",leg="candidate"} 1\n')
  expect(text).toContain('understudy_mirror_shadow_queue_seconds_count{validation="v",leg="candidate"} 1\n')
  expect(text).toMatch(/^understudy_mirror_build_info\{version="[\d.]+",node="v\d+[\d.]+"\} 1$/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  expect(text).toMatch(/^process_resident_memory_bytes /m)
  await send(`${mirror.url}/p`, { body: '12345' })
  await mirror.settled('v', 2)
  expect(await page()).toContain('understudy_mirror_seen_total{validation="v"} 2\n')
  expect(await page()).toContain('understudy_mirror_request_bytes_total 10\n')
})

test('docs/OPERATIONS.md lists every metric correctly', async () => {
  const docs = await readFile('docs/OPERATIONS.md', 'utf8')
  const rows = (await describedBy(await busyMirror())).map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  )
  expect(rows.filter((row) => !docs.includes(`${row}\n`)).join('\n')).toBe('')
  const named = new Set<string>()
  for await (const file of glob('mirror/**/*.ts', { exclude: (path) => path.endsWith('.test.ts') })) {
    for (const [name] of (await readFile(file, 'utf8')).matchAll(/understudy_mirror_[a-z_]*[a-z]/g)) named.add(name)
  }
  const inDocs = new Set(docs.match(/understudy_mirror_[a-z_]*[a-z]/g))
  expect([...named].filter((name) => !inDocs.has(name))).toEqual([])
})

test('faults of the mirror are counted from zero, so that the first one shows as an increase', async () => {
  const { mirror } = await busyMirror()
  const { text } = await mirror.admin('/metrics')
  for (const doing of guarded) expect(text).toContain(`understudy_mirror_errors_total{doing="${doing}"} 0\n`)
})
