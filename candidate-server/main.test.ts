import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testModel } from './testing/start-test-server.ts'

test('a parent with a channel to the server is told its address once it is ready', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'config.yaml')
  const models = [{ name: 'sum', path: testModel('sum') }]
  const candidateServer = { listen: '127.0.0.1:0', cpu: { instances: 1, threads: 1 }, models }
  writeFileSync(config, JSON.stringify({ candidateServer }))
  const program = `const { runCandidateServer } = await import(process.argv[1]); await runCandidateServer(process.argv[2])`
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, join(import.meta.dirname, 'main.ts'), config],
    { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [{ url }] = await once(child, 'message')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  // it drains once its parent is gone
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})
