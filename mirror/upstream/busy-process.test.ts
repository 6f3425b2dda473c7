import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { connectTo, parseTarget } from './target.ts'

test('a connection that is made while the process is too busy to hear of it is not given up', async () => {
  const { url } = await tcpUpstream(() => {})
  const target = parseTarget(url, undefined, 100)
  const socket = connectTo(target, 'requests')
  onTestFinished(() => void socket.destroy())
  // behind the system call that begins the connection
  process.nextTick(() => {
    const busyUntil = performance.now() + 4 * target.connectMaxMs
    while (performance.now() < busyUntil) {}
  })
  await once(socket, 'connect')
  expect(socket.destroyed).toBe(false)
})
