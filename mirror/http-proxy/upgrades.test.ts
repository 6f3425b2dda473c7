import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { head, host } from '../conformance/case.ts'
import { rawClient, received, sendPieces } from '../conformance/raw-client.ts'
import { rawPrimary, reply } from '../conformance/raw-primary.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { waitFor } from '../testing/wait-for.ts'

const asked = head('GET /ws?room=1 HTTP/1.1', host, 'Upgrade: websocket', 'Connection: Upgrade')
const switched = head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')
const accessLog = { share: 1 }

async function asksFor(section: Record<string, unknown>) {
  const { mirror, logged } = await loggedMirror({ accessLog, ...section })
  const client = await rawClient(mirror.url)
  await sendPieces(client, [asked])
  return { mirror, client, line: () => waitFor('a line in the log', () => logged('request')[0]) }
}

test('a handshake’s headers keep their case and their repeats, whatever they are called, both ways', async () => {
  const answered = ['X-Reply: 1', 'constructor: 8', 'x-reply: 2', '__proto__: 7', 'Set-Cookie: a=1', 'Set-Cookie: b=2']
  const primary = await rawPrimary([
    reply(head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', ...answered)),
  ])
  const { mirror } = await loggedMirror({ primary: primary.url })
  const client = await rawClient(mirror.url)
  const own = ['Cookie: a=1', 'Cookie: b=2', 'constructor: 9', '__proto__: 8', 'X-Room: 1', 'X-Room: 2', 'toString: x']
  const asking = ['upgrade: WebSocket', 'CONNECTION: keep-alive, Upgrade']
  await sendPieces(client, [head('GET /ws HTTP/1.1', host, ...own, ...asking)])
  await received(client, (bytes) => bytes.includes('\r\n\r\n'))
  const lines = (text: string) => text.split('\r\n').slice(1)
  const asked = lines(primary.connections[0]!.received)
  // one header of cookies, as RFC 6265 has it (5.4)
  expect(asked.filter((line) => /^cookie:/i.test(line))).toEqual(['Cookie: a=1; b=2'])
  for (const line of [...own.slice(2), ...asking]) expect(asked).toContain(line)
  expect(asked.filter((line) => /^(constructor|upgrade|connection):/i.test(line)).length).toBe(3)
  const got = lines(client.received)
  for (const line of answered) expect(got.map((one) => one.toLowerCase())).toContain(line.toLowerCase())
  expect(got).toContain('X-Reply: 1')
})

describe('a request for a WebSocket is in the access log and the metrics once its handshake is over,', () => {
  test('as soon as it is open', async () => {
    const primary = await rawPrimary([reply(switched)])
    const { mirror, line } = await asksFor({ primary: primary.url })
    expect(await line()).toMatchObject({ method: 'GET', path: '/ws', status: 101, end: 'answered' })
    expect((await mirror.admin('/metrics')).text).toMatch(
      /^understudy_mirror_request_seconds_count\{.*end="answered"\} 1$/m,
    )
  })

  test('as refused by the primary', async () => {
    const primary = await rawPrimary([reply(head('HTTP/1.1 403 Forbidden', 'content-length: 0'))])
    const { line } = await asksFor({ primary: primary.url })
    expect(await line()).toMatchObject({ status: 403, end: 'answered' })
  })

  test('as 502 where the primary can not be reached, which then has its rest', async () => {
    const primary = await rawPrimary([reply(switched), reply(switched)])
    const { mirror, client, line } = await asksFor({ primary: { urls: ['http://127.0.0.1:1', primary.url] } })
    await received(client, (bytes) => bytes.endsWith('}'))
    expect(client.received).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n[\s\S]*UPSTREAM_UNREACHABLE/)
    expect(await line()).toMatchObject({ status: 502, end: 'refused' })
    for (let i = 0; i < 2; i++) {
      const next = await rawClient(mirror.url)
      await sendPieces(next, [asked])
      await received(next, (bytes) => bytes.includes('\r\n\r\n'))
      expect(next.received).toMatch(/^HTTP\/1\.1 101 /)
    }
  })

  test('as 504 where the primary says nothing', async () => {
    const sockets: Socket[] = []
    const mute = createServer((socket) => sockets.push(socket.on('error', () => {})))
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      mute.close()
    })
    const { port } = mute.address() as { port: number }
    const { client, line } = await asksFor({ primary: `http://127.0.0.1:${port}`, timeout: '200ms' })
    await received(client, (bytes) => bytes.endsWith('}'))
    expect(client.received).toMatch(/^HTTP\/1\.1 504 Gateway Timeout\r\n[\s\S]*UPSTREAM_TIMED_OUT/)
    expect(await line()).toMatchObject({ status: 504, end: 'timedOut' })
  })

  test('as aborted where the client does not wait', async () => {
    const primary = await rawPrimary([reply()])
    const { client, line } = await asksFor({ primary: primary.url })
    await waitFor('the request at the primary', () => primary.connections[0]?.received.includes('\r\n\r\n'))
    client.socket.destroy()
    expect(await line()).toMatchObject({ end: 'aborted' })
  })
})
