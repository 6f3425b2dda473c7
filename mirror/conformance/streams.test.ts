import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { date, type ForwarderName, forwarders, head, host, ok } from './case.ts'
import { checkFlow, Flow } from './flow.ts'
import { rawClient, sendPieces } from './raw-client.ts'
import { early, type RawPrimary, rawPrimary, reply } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const mirrorings = ['not mirrored', 'mirrored to a candidate that hangs'] as const
const ways = forwarders.flatMap((forwarder) => mirrorings.map((mirroring) => [forwarder, mirroring] as const))

const megabyte = 1024 * 1024
/** More than all socket buffers on the way hold together. */
const largeBytes = 64 * megabyte

async function throughMirror(forwarder: ForwarderName, mirroring: (typeof mirrorings)[number], primary: RawPrimary) {
  const candidate = mirroring === 'not mirrored' ? undefined : await fakeUpstream(hanging)
  return plainMirror(primary.url, forwarder, candidate?.url)
}

/** The only connection that has a request, once its head has arrived. */
const busyConnection = (primary: RawPrimary) =>
  waitFor('a request', () => primary.connections.find(({ received }) => received.includes('\r\n\r\n')))

describe.each(ways)('through %s, %s,', (forwarder, mirroring) => {
  test('a head passes before its body exists, and events pass one by one', async () => {
    const primary = await rawPrimary([reply()])
    const mirror = await throughMirror(forwarder, mirroring, primary)
    const client = await rawClient(mirror.url)
    await sendPieces(client, [head('GET /p HTTP/1.1', host, 'accept: text/event-stream')])
    const { socket } = await busyConnection(primary)
    socket.write(head('HTTP/1.1 200 OK', date, 'content-type: text/event-stream', 'transfer-encoding: chunked'))
    await waitFor('the head', () => client.received.endsWith('\r\n\r\n'))
    for (let i = 0; i < 20; i++) {
      const event = `data: ${i}\n\n`
      socket.write(`${event.length.toString(16)}\r\n${event}\r\n`)
      await waitFor(`event ${i}`, () => client.received.endsWith(`${event}\r\n`))
    }
    socket.write('0\r\n\r\n')
    await waitFor('the end', () => client.received.endsWith('\r\n0\r\n\r\n'))
  })

  test('a request passes piece by piece, and its answer at the same time', async () => {
    const primary = await rawPrimary([early()])
    const mirror = await throughMirror(forwarder, mirroring, primary)
    const client = await rawClient(mirror.url)
    const chunkOf = (word: string) => `${word.length}\r\n${word}\r\n`
    await sendPieces(client, [head('POST /p HTTP/1.1', host, 'transfer-encoding: chunked') + chunkOf('zero')])
    const connection = await busyConnection(primary)
    connection.socket.write(head('HTTP/1.1 200 OK', date, 'transfer-encoding: chunked'))
    for (const word of ['one', 'two', 'three']) {
      const chunk = chunkOf(word)
      await sendPieces(client, [chunk])
      await waitFor(`${word} at the primary`, () => connection.received.endsWith(chunk))
      connection.socket.write(chunk)
      await waitFor(`${word} back at the client`, () => client.received.endsWith(chunk))
    }
    await sendPieces(client, ['0\r\n\r\n'])
    await waitFor('the end at the primary', () => primary.requests.length === 1)
    connection.socket.write('0\r\n\r\n')
    await waitFor('the end at the client', () => client.received.endsWith('three\r\n0\r\n\r\n'))
  })

  test('a client that does not read pauses the primary, while others are served', async () => {
    const primary = await rawPrimary([reply(), ...Array(20).fill(reply(ok()))])
    const mirror = await throughMirror(forwarder, mirroring, primary)
    const slow = await rawClient(mirror.url)
    await sendPieces(slow, [head('GET /p HTTP/1.1', host)])
    const { socket } = await busyConnection(primary)
    slow.socket.pause()
    socket.write(head('HTTP/1.1 200 OK', date, `content-length: ${largeBytes}`))
    const flow = new Flow(socket, largeBytes)
    const held = await standstill(() => flow.taken)
    expect(held).toBeLessThan(largeBytes / 2)

    const quick = await rawClient(mirror.url)
    for (let i = 1; i <= 20; i++) {
      await sendPieces(quick, [head('GET /p HTTP/1.1', host)])
      await waitFor(`answer ${i}`, () => quick.received.split('\r\n\r\nok').length > i)
    }
    expect(flow.taken).toBe(held)

    const check = checkFlow(slow.socket, 'behind a head')
    await waitFor('the whole response', () => check.good === largeBytes)
  })

  test('a primary that does not read pauses the client, while others are served', async () => {
    const primary = await rawPrimary([early(), ...Array(20).fill(reply(ok()))])
    const mirror = await throughMirror(forwarder, mirroring, primary)
    const client = await rawClient(mirror.url)
    await sendPieces(client, [`${head('POST /p HTTP/1.1', host, `content-length: ${1 + largeBytes}`)}x`])
    const connection = await waitFor('a byte', () =>
      primary.connections.find(({ received }) => received.endsWith('\r\n\r\nx')),
    )
    const { socket } = connection
    socket.pause()
    const flow = new Flow(client.socket, largeBytes)
    const held = await standstill(() => flow.taken)
    expect(held).toBeLessThan(largeBytes / 2)

    const quick = await rawClient(mirror.url)
    for (let i = 1; i <= 20; i++) {
      await sendPieces(quick, [head('GET /p HTTP/1.1', host)])
      await waitFor(`answer ${i}`, () => quick.received.split('\r\n\r\nok').length > i)
    }
    expect(flow.taken).toBe(held)

    const check = checkFlow(socket)
    await waitFor('the whole request', () => check.good === largeBytes)
    socket.write(ok())
    await waitFor('the answer', () => client.received.endsWith('ok'))
  })
})

test.each([
  ['with', 'connection: close'],
  ['after', 'x: y'],
])('a primary that leaves %s an early answer lets a client that it held up go on', async (_when, line) => {
  const primary = await rawPrimary([early(), reply(ok('next'))])
  const mirror = await throughMirror('wire', 'not mirrored', primary)
  const client = await rawClient(mirror.url)
  await sendPieces(client, [`${head('POST /p HTTP/1.1', host, `content-length: ${1 + largeBytes}`)}x`])
  const { socket } = await busyConnection(primary)
  socket.pause()
  const flow = new Flow(client.socket, largeBytes)
  await standstill(() => flow.taken)
  socket.write(ok('enough', line))
  await waitFor('the answer', () => client.received.endsWith('enough'))
  socket.destroy()
  await waitFor('the upload to go on', () => flow.taken === largeBytes)
  await sendPieces(client, [head('GET /p HTTP/1.1', host)])
  await waitFor('the next answer', () => client.received.endsWith('next'))
})

/** The value once it has stopped changing. */
async function standstill(value: () => number): Promise<number> {
  let before = -1
  await waitFor('a standstill', async () => {
    const stands = value() === before && before > 0
    before = value()
    await sleep(100)
    return stands
  })
  return before
}
