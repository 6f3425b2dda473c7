import { describe, expect, test } from 'vitest'
import { date, type ForwarderName, forwarders, head, host, ok } from './case.ts'
import { rawClient, received, sendPieces } from './raw-client.ts'
import { fin, type Part, rawPrimary, reply } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const get = head('GET /p HTTP/1.0', host)
const closing = (answer: string) => answer.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
const inChunks = `${head('HTTP/1.1 200 OK', date, 'Trailer: x-sum', 'transfer-encoding: chunked')}5\r\nhello\r\n0\r\nx-sum: 7\r\n\r\n`

describe.each(forwarders)('a client of HTTP/1.0, through %s,', (forwarder) => {
  test('is answered, and its connection closes', async () => {
    for (const request of [get, head('GET /p HTTP/1.0', host, 'connection: x-hop')]) {
      expect(await exchange(forwarder, request, ok())).toMatchObject({ client: closing(ok()), end: 'FIN' })
    }
  })

  test('sends a body', async () => {
    const seen = await exchange(forwarder, `${head('POST /p HTTP/1.0', host, 'content-length: 5')}hello`, ok())
    expect(seen).toMatchObject({ client: closing(ok()), end: 'FIN' })
    expect(seen.requests[0]).toMatch(/^POST \/p HTTP\/1\.1\r\n[\s\S]*\r\n\r\nhello$/)
  })

  test('keeps its connection if it asks for that', async () => {
    const kept = await exchange(forwarder, head('GET /p HTTP/1.0', host, 'connection: keep-alive'), ok())
    expect(kept.client).toBe(ok().replace('\r\n\r\n', '\r\nConnection: keep-alive\r\n\r\n'))
    expect(kept.end).toBe('open')
  })

  test('gets a chunked body without chunks or trailers, up to the end of the connection', async () => {
    const plain = `${head('HTTP/1.1 200 OK', date, 'Connection: close')}hello`
    expect(await exchange(forwarder, get, inChunks)).toMatchObject({ client: plain, end: 'FIN' })
  })

  test('sends another request on a kept connection', async () => {
    const again = head('GET /p HTTP/1.0', host, 'connection: keep-alive')
    const primary = await rawPrimary([reply(ok('one')), reply(ok('two'))])
    const mirror = await plainMirror(primary.url, forwarder)
    const client = await rawClient(mirror.url)
    await sendPieces(client, [again])
    await received(client, (answered) => answered.endsWith('one'))
    await sendPieces(client, [again])
    await received(client, (answered) => answered.endsWith('two'))
    expect(client.received.match(/^Connection: keep-alive\r$/gm)).toHaveLength(2)
  })

  test('learns only from a reset that a body broke off', async () => {
    const half = `${head('HTTP/1.1 200 OK', date, 'transfer-encoding: chunked')}5\r\nhello\r\n`
    expect((await exchange(forwarder, get, half, fin)).end).toBe('RST')
  })

  test('need not send a Host', async () => {
    const { requests } = await exchange(forwarder, head('GET /p HTTP/1.0'), ok())
    expect(requests[0]).toMatch(/^host: 127\.0\.0\.1:\d+\r$/im)
  })

  test('gets no interim response', async () => {
    const hints = head('HTTP/1.1 103 Early Hints', 'link: </a>; rel=preload')
    expect((await exchange(forwarder, get, hints + ok())).client).toBe(closing(ok()))
  })
})

async function exchange(forwarder: ForwarderName, bytes: string, ...answer: Part[]) {
  const primary = await rawPrimary([reply(...answer)])
  const mirror = await plainMirror(primary.url, forwarder)
  const client = await rawClient(mirror.url)
  await sendPieces(client, [bytes])
  await received(client, (answered) => /connection: keep-alive[\s\S]*ok$/i.test(answered))
  return { client: client.received, end: client.end, requests: primary.requests }
}
