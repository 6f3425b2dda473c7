import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startTestServer, testModel } from './start-test-server.ts'

test('docs/OPERATIONS.md has every metric of the candidate server, as it is', async () => {
  const server = await startTestServer({ models: [{ name: 'm', version: '1', path: testModel('sum') }] })
  onTestFinished(() => server.stop())
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const described = text.matchAll(/^# HELP (understudy_candidate_\w+) (.*)\n# TYPE \1 (\w+)$/gm)
  const rows = [...described].map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`)
  expect(rows.length).toBeGreaterThanOrEqual(15)
  const docs = await readFile('docs/OPERATIONS.md', 'utf8')
  expect(rows.filter((row) => !docs.includes(`${row}\n`)).join('\n')).toBe('')
})
