import { expect, onTestFinished, test } from 'vitest'
import { openConnection } from './testing/raw-connection.ts'
import { call, startTestServer, testModel } from './testing/start-test-server.ts'

test('a head that arrives too slowly is cut off, and others are served meanwhile', async () => {
  const server = await startTestServer({
    limits: { bodyTimeout: '1s' },
    models: [{ name: 'sum', path: testModel('sum') }],
  })
  onTestFinished(() => server.stop())
  const slow = await Promise.all(
    Array.from({ length: 20 }, () => openConnection(server.url, 'POST /predictions/sum HTTP/1.1\r\nhost: x\r\n')),
  )
  // it never stops
  const trickle = setInterval(() => {
    for (const { socket } of slow) if (socket.writable) socket.write('x-more: 1\r\n')
  }, 100)
  onTestFinished(() => clearInterval(trickle))
  expect((await call(`${server.url}/predictions/sum`, { a: [1, 1], b: [2, 2] })).body).toEqual({ predictions: [3, 3] })
  for (const { answer } of slow) expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
})
