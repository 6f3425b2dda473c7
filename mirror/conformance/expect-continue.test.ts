import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering } from '../testing/fake-upstream.ts'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { promoted } from '../testing/promoted.ts'
import { type ForwarderName, head, host, ok } from './case.ts'
import { rawClient, received, sendPieces } from './raw-client.ts'
import { early, rawPrimary } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const asked = head('POST /p HTTP/1.1', host, 'Expect: 100-continue', 'Content-Length: 5')

test('a client that expects 100-continue gets the primary’s refusal, and the primary gets neither body nor another request', async () => {
  const { client, primary } = await ask('wire')
  await received(client, (bytes) => bytes.endsWith('no'))
  expect(client.received).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/)
  // what comes now may be the body or another request: there is no telling
  await sendPieces(client, ['GET /p/smuggled HTTP/1.1\r\n\r\n'])
  await received(client, () => false)
  expect(client.end).not.toBe('open')
  expect(client.received.match(/HTTP\/1\.1/g)).toHaveLength(1)
  expect(primary.requests).toEqual([])
  expect(primary.connections.map((connection) => connection.received)).toEqual([asked])
})

test('through http-proxy-3 Node sends the 100 itself before anybody is asked, and then the refusal follows', async () => {
  const { client, primary } = await ask('http-proxy-3')
  await received(client, (bytes) => bytes.includes('100 Continue'))
  await sendPieces(client, ['hello'])
  await received(client, (bytes) => bytes.endsWith('no'))
  expect(client.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 417 Expectation Failed\r\n/)
  await waitFor('the request', () => primary.requests.length === 1)
  expect(primary.requests[0]).toMatch(/\r\n\r\nhello$/)
})

test('a client that waits for 100-continue from a silent primary gets a 504', async () => {
  const { port } = await tcpUpstream((socket) => socket.resume())
  const mirror = await mirrorUnderTest({ primary: `http://127.0.0.1:${port}`, timeout: '200ms' })
  const client = await rawClient(mirror.url)
  await sendPieces(client, [asked])
  await received(client, (bytes) => bytes.includes('UPSTREAM_TIMED_OUT'))
  expect(client.received).toMatch(/^HTTP\/1\.1 504 Gateway Timeout\r\n/)
})

test('the primary continues where a live candidate is silent, and then waits for the body', async () => {
  const { url } = await tcpUpstream((socket) => socket.resume())
  const { mirror } = await promoted(answering('unused'), { timeout: '200ms' }, { url })
  const client = await rawClient(mirror.url)
  await sendPieces(client, [asked])
  await received(client, (bytes) => bytes.includes('100 Continue'))
  // longer than the time limit
  await new Promise((resolve) => setTimeout(resolve, 500))
  await sendPieces(client, ['hello'])
  await received(client, (bytes) => bytes.endsWith('0\r\n\r\n'))
  expect(client.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  expect(client.received).toContain('\r\n7\r\nprimary\r\n')
})

async function ask(forwarder: ForwarderName) {
  const primary = await rawPrimary([early(ok('no').replace('200 OK', '417 Expectation Failed'))])
  const mirror = await plainMirror(primary.url, forwarder)
  const client = await rawClient(mirror.url)
  await sendPieces(client, [asked])
  return { client, primary }
}
