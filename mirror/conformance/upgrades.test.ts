import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { date, forwarders, head, host, ok } from './case.ts'
import { rawClient, received, sendPieces } from './raw-client.ts'
import { rawPrimary, reply } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const asked = head(
  'GET /p HTTP/1.1',
  host,
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==',
)
const switched = head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')
/** Frames with every possible byte, including empty lines and heads. */
const frames = `\x81\x05hello\r\n\r\nGET / HTTP/1.1\r\n\r\n${Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('')}`

describe.each(forwarders)('a WebSocket through %s', (forwarder) => {
  const opened = async (answer: string) => {
    const primary = await rawPrimary([reply(answer)])
    const candidate = await fakeUpstream(answering('{}'))
    const mirror = await plainMirror(primary.url, forwarder, candidate.url)
    const client = await rawClient(mirror.url)
    await sendPieces(client, [asked])
    await received(client, (bytes) => bytes.includes('\r\n\r\n'))
    return { client, mirror, candidate, connection: primary.connections[0]!, primary }
  }

  test('is opened, passes every byte both ways, and is not mirrored', async () => {
    const { client, connection, candidate } = await opened(`${switched}\x81\x02hi`)
    await waitFor('the first frame', () => client.received.endsWith('\x81\x02hi'))
    expect(client.received.slice(0, -4)).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
    const requestHead = connection.received
    expect(requestHead).toMatch(/^upgrade: websocket\r$/im)
    expect(requestHead).toMatch(/^connection: upgrade\r$/im)

    const before = client.received.length
    await sendPieces(client, frames)
    await waitFor('the frames at the primary', () => connection.received.length >= requestHead.length + frames.length)
    expect(connection.received.slice(requestHead.length)).toBe(frames)
    connection.socket.write(frames, 'latin1')
    await waitFor('the frames at the client', () => client.received.length >= before + frames.length)
    expect(client.received.slice(before)).toBe(frames)
    expect(candidate.heads).toEqual([])
  })

  test('ends at the primary when the client ends it', async () => {
    const { client, connection } = await opened(switched)
    client.socket.end()
    await waitFor('the primary to hear of it', () => connection.end !== 'open')
  })

  test('ends at the client when the primary ends it', async () => {
    const { client, connection } = await opened(switched)
    connection.socket.end()
    await waitFor('the client to hear of it', () => client.end !== 'open')
  })

  test('that the primary refuses gets its answer like any other request', async () => {
    const { client } = await opened(ok('not you').replace('200 OK', '403 Forbidden'))
    await received(client, (bytes) => bytes.endsWith('not you'))
    expect(client.received).toMatch(new RegExp(`^HTTP/1\\.1 403 Forbidden\r\n${date}\r\n`, 'i'))
    expect(client.received).toMatch(/\r\n\r\nnot you$/)
  })
})
