import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { freePorts } from '../../runtime/testing/free-ports.ts'
import { mirrorConfig } from '../testing/mirror-under-test.ts'
import { startSupervisor } from './supervisor.ts'

test('a supervisor that is told to stop before it has opened the clients’ port never opens it', async () => {
  const port = await freePorts(1)
  const config = mirrorConfig({ listen: `127.0.0.1:${port}`, workers: 2, primary: 'http://127.0.0.1:9', routes: [] })
  const endSignals = { stopping: AbortSignal.abort(), abandoned: new AbortController().signal }
  const supervisor = await startSupervisor(config, createLogger('mirror', 'silent'), endSignals)
  onTestFinished(() => supervisor.stop())
  const code = await new Promise((resolve) => {
    const client = connect(port, '127.0.0.1', () => resolve('connected'))
    client.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    onTestFinished(() => void client.destroy())
  })
  expect(code).toBe('ECONNREFUSED')
  expect(await (await fetch(`${supervisor.adminUrl}/metrics`)).text()).toMatch(/^understudy_mirror_workers 0$/m)
})
