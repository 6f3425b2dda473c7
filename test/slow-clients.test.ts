import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { classification, startTestComparator, type TestComparator } from './support/comparator.ts'

let comparator: TestComparator
beforeAll(async () => {
  comparator = await startTestComparator([classification], { slowClientMs: 1000 })
})
afterAll(() => comparator?.close())

async function connectTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.on('error', () => {})
  return socket
}

/** What a client receives that starts a body and sends a byte now and then until it is cut off. */
async function answerToEndless(path: string): Promise<string> {
  const socket = await connectTo(comparator.url)
  let read = ''
  socket.on('data', (bytes) => {
    read += bytes
  })
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`)
  const more = setInterval(() => socket.write(' '), 50)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(more)
  return read
}

test('a client whose request never ends is disconnected, even after a refusal', async () => {
  const [signIn, refused] = await Promise.all([answerToEndless('/v1/session'), answerToEndless('/v1/observations')])
  expect(signIn).toMatch(/^HTTP\/1\.1 408 /)
  expect(refused).toMatch(/^HTTP\/1\.1 401 /)
})

test('a client that never reads its answers is disconnected', async () => {
  const socket = await connectTo(comparator.url)
  socket.pause()
  socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(500))
  await waitFor(
    'the connection to be cut',
    () => isHeldOpen(socket),
    (is) => !is,
  )
})

/**
 * From the system's table of the server's connections: a client that does not read is not told that the other side
 * closed.
 */
function isHeldOpen({ localPort, remotePort }: Socket): boolean {
  const [server, client] = [remotePort!, localPort!].map((port) => port.toString(16).toUpperCase().padStart(4, '0'))
  const established = new RegExp(`:${server} [0-9A-F]+:${client} 01 `)
  return established.test(readFileSync('/proc/net/tcp', 'utf8'))
}
