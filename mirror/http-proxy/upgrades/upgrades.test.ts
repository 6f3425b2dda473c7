import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../../runtime/testing/wait-for.ts'
import { head, host } from '../../conformance/case.ts'
import { rawClient, received, sendPieces } from '../../conformance/raw-client.ts'
import { pause, rawPrimary, reply, rst } from '../../conformance/raw-primary.ts'
import { loggedMirror } from '../../testing/logged-mirror.ts'
import { mirrorUnderTest } from '../../testing/mirror-under-test.ts'
import { tcpUpstream } from '../../testing/other-upstreams.ts'

const asked = head('GET /ws?room=1 HTTP/1.1', host, 'Upgrade: websocket', 'Connection: Upgrade')
const switched = head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')
const accessLog = { share: 1 }

async function asksFor(section: Record<string, unknown>) {
  const { mirror, logged } = await loggedMirror({ accessLog, ...section })
  const client = await rawClient(mirror.url)
  await sendPieces(client, [asked])
  return { mirror, client, line: () => waitFor('a line in the log', () => logged('request')[0]) }
}

test('a handshake’s headers keep their case and repeats in both directions, whatever their names', async () => {
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
  // a single Cookie header, as RFC 6265 (5.4) requires
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

  test('as 502 if the primary cannot be reached, which then rests', async () => {
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

  test('as 504 if the primary stays silent', async () => {
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

  test('as aborted if the client does not wait', async () => {
    const primary = await rawPrimary([reply()])
    const { client, line } = await asksFor({ primary: primary.url })
    await waitFor('the request at the primary', () => primary.connections[0]?.received.includes('\r\n\r\n'))
    client.socket.destroy()
    expect(await line()).toMatchObject({ end: 'aborted' })
  })
})

test('non-ASCII bytes in the head of an answer stay as they are', async () => {
  const refused = head('HTTP/1.1 403 caf\xe9', 'x-reply: \xe9\xff', 'x-reply: 2', 'content-length: 0')
  const agreed = switched.replace('\r\n\r\n', '\r\nx-reply: \xe9\xff\r\n\r\n')
  const primary = await rawPrimary([reply(agreed), reply(refused)])
  const mirror = await mirrorUnderTest({ primary: primary.url })
  for (const answer of [agreed, refused.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')]) {
    const client = await rawClient(mirror.url)
    await sendPieces(client, [asked])
    await received(client, (bytes) => bytes.includes('\r\n\r\n'))
    expect(client.received).toBe(answer)
  }
})

describe('a handshake that the primary answers like any other request', () => {
  const answers = {
    'with a length': [head('HTTP/1.1 200 OK', 'content-length: 2'), 'hi', 'hi'],
    'in chunks': [head('HTTP/1.1 200 OK', 'transfer-encoding: chunked'), '2\r\nhi\r\n0\r\n\r\n', 'hi'],
    'without a body': [head('HTTP/1.1 204 No Content'), '', ''],
  } as const
  test.each(Object.entries(answers))('passes %s', async (_, [answer, coded, body]) => {
    const primary = await rawPrimary([reply(answer + coded)])
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const client = await rawClient(mirror.url)
    await sendPieces(client, [asked])
    expect(await received(client, () => false)).toBe(true)
    expect(client.received.split('\r\n\r\n')[1]).toBe(body)
    expect([client.end, client.received]).toEqual(['FIN', expect.not.stringMatching(/chunked/)])
  })

  test.each([
    ['with a length', 'content-length: 100', 'FIN'],
    ['in chunks', 'transfer-encoding: chunked', 'RST'],
  ])('and breaks off, %s, breaks off for the client', async (_, framing, end) => {
    const primary = await rawPrimary([reply(head('HTTP/1.1 200 OK', framing), '2\r\nhi\r\n', pause, rst)])
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const client = await rawClient(mirror.url)
    await sendPieces(client, [asked])
    await received(client, () => false)
    expect(client.end).toBe(end)
  })

  test('and falls silent is broken off', async () => {
    const primary = await rawPrimary([reply(head('HTTP/1.1 200 OK', 'content-length: 100'), 'hi')])
    const mirror = await mirrorUnderTest({ primary: primary.url, timeout: '300ms' })
    const client = await rawClient(mirror.url)
    await sendPieces(client, [asked])
    expect(await received(client, () => false)).toBe(true)
    expect(client.end).toBe('RST')
  })

  test('is read no faster than the client reads, and no longer than it stays', async () => {
    const sendMax = 100_000_000
    let primary: Socket | undefined
    const { url } = await tcpUpstream((socket) => {
      primary = socket
      socket.once('data', () => sendAll(socket, head('HTTP/1.1 200 OK', `content-length: ${sendMax}`), sendMax))
    })
    const mirror = await mirrorUnderTest({ primary: url })
    const client = await rawClient(mirror.url)
    client.socket.pause()
    await sendPieces(client, [asked])
    await waitFor('the answer to begin', () => (primary?.bytesWritten ?? 0) > 0)
    await sleep(500)
    expect(primary!.bytesWritten).toBeLessThan(sendMax / 2)
    client.socket.destroy()
    await waitFor('the primary to be told', () => primary!.destroyed)
  })
})

describe('when a client leaves, its connection to the primary ends', () => {
  test('while the handshake is under way', async () => {
    const primary = await rawPrimary([reply()])
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const client = await rawClient(mirror.url)
    await sendPieces(client, [asked])
    await waitFor('the request at the primary', () => primary.connections[0]?.received.includes('\r\n\r\n'))
    client.socket.destroy()
    await waitFor('the primary to be told', () => primary.connections[0]!.end !== 'open')
  })

  test('while the primary sends more than it reads', async () => {
    let primary: Socket | undefined
    const { url } = await tcpUpstream((socket) => {
      primary = socket
      socket.once('data', () => sendAll(socket, switched, 100_000_000))
    })
    const mirror = await mirrorUnderTest({ primary: url })
    const client = await rawClient(mirror.url)
    client.socket.pause()
    await sendPieces(client, [asked])
    await waitFor('the primary to wait', () => primary?.writableNeedDrain)
    await sleep(200)
    client.socket.resetAndDestroy()
    await waitFor('the primary to be told', () => primary!.destroyed)
  })
})

/** Sends as fast as it is read. */
function sendAll(socket: Socket, head: string, bytesMax: number): void {
  const piece = Buffer.alloc(64 * 1024)
  const send = () => {
    while (socket.writable && socket.bytesWritten < bytesMax && socket.write(piece));
  }
  socket.write(head)
  socket.on('drain', send).resume()
  send()
}
