import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LoadClient } from './load-client.ts'

test('a request that is already late when a connection becomes free is not sent', async () => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url!)
    if (request.url === '/first') server.emit('first', response)
    else response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new LoadClient({ target: new URL(`http://127.0.0.1:${port}`), connections: 1, timeoutMs: 10_000 })
  onTestFinished(async () => {
    await client.close()
    server.close()
  })
  const send = (path: string, timeoutMs: number) =>
    client.send({ method: 'GET', path, headers: {}, body: null }, timeoutMs)
  const arrived = once(server, 'first') as Promise<[ServerResponse]>
  const first = send('/first', 10_000)
  const [response] = await arrived
  expect(await send('/late', 20)).toEqual({ kind: 'failed', reason: 'timeout', example: '' })
  response.end()
  expect(await first).toEqual({ kind: 'answered', status: 200 })
  expect(await send('/next', 10_000)).toEqual({ kind: 'answered', status: 200 })
  expect(seen).toEqual(['/first', '/next'])
})

test('a server that closes without an answer is reported in words', async () => {
  const server = createServer((request) => request.socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new LoadClient({ target: new URL(`http://127.0.0.1:${port}`), connections: 1, timeoutMs: 10_000 })
  onTestFinished(async () => {
    await client.close()
    server.close()
  })
  const request = { method: 'GET', path: '/', headers: {}, body: null }
  expect(await client.send(request, 10_000)).toEqual({ kind: 'failed', reason: 'other side closed', example: '' })
})
