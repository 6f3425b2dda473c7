import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { call, startTestServer, testConfig, testModel } from './testing/start-test-server.ts'

test('docs/OPERATIONS.md lists every metric of the candidate server, with its type and help', async () => {
  const server = await startTestServer({ models: [{ name: 'm', version: '1', path: testModel('sum') }] })
  onTestFinished(() => server.stop())
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const described = text.matchAll(/^# HELP (understudy_candidate_\w+) (.*)\n# TYPE \1 (\w+)$/gm)
  const rows = [...described].map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`)
  expect(rows.length).toBeGreaterThanOrEqual(15)
  const docs = await readFile('docs/OPERATIONS.md', 'utf8')
  expect(rows.filter((row) => !docs.includes(`${row}\n`)).join('\n')).toBe('')
})

test('no gauge reports a model that is no longer served', async () => {
  const dispatch = { groups: [{ upTo: 4 }, {}] }
  const old = { name: 'old', path: testModel('slow-length'), batch: { sizeMax: 1 }, dispatch }
  const sum = { name: 'sum', path: testModel('sum') }
  const server = await startTestServer({ models: [old, sum] })
  onTestFinished(() => server.stop())
  const gaugesOf = async (model: string) => {
    const text = String((await call(`${server.url}/metrics`)).body)
    const gauges = new Set(Array.from(text.matchAll(/^# TYPE (\w+) gauge$/gm), ([, name]) => name))
    const named = text.matchAll(new RegExp(`^(\\w+)\\{model="${model}"`, 'gm'))
    return new Set(Array.from(named, ([, name]) => name).filter((name) => gauges.has(name)))
  }
  expect((await gaugesOf('old')).size).toBe(7)
  await server.reload(testConfig({ models: [sum] }))
  expect(await gaugesOf('old')).toEqual(new Set())
  expect((await gaugesOf('sum')).size).toBe(5)
})
