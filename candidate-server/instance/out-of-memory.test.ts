import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { call, startTestServer, testModel } from '../testing/start-test-server.ts'

const scoreOf = (pid: number | 'self') => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))

test.runIf(process.platform === 'linux')('out of memory, the kernel takes an instance before the front', async () => {
  const server = await startTestServer({ models: [{ name: 'sum', path: testModel('sum') }] })
  onTestFinished(() => server.stop())
  const { instances } = (await call(`${server.url}/plan`)).body
  expect(instances.length).toBeGreaterThan(0)
  for (const { pid } of instances) expect(scoreOf(pid)).toBe(Math.min(1000, scoreOf('self') + 500))
})
