import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { ByteBudget } from './capture/byte-budget.ts'
import type { LegOutcome } from './capture/leg-outcome.ts'
import { forwarders, head, host, ok } from './conformance/case.ts'
import { rawClient, received, sendPieces } from './conformance/raw-client.ts'
import { sendShadow } from './shadow/send-shadow.ts'
import { mirrorUnderTest } from './testing/mirror-under-test.ts'
import { tcpUpstream } from './testing/other-upstreams.ts'
import { ConnectionPool } from './upstream/connection-pool.ts'
import { sendWhole } from './upstream/send-whole.ts'
import { connectTo, parseTarget } from './upstream/target.ts'

/** Long enough for a machine that is busy with other things. */
const limitMs = 800

/** Nothing that arrives meanwhile is read. */
function beBusy(forMs = 1.25 * limitMs): void {
  const until = performance.now() + forMs
  while (performance.now() < until) {}
}

/** An upstream that answers in time, whereupon this process is busy until the time is over. */
const busyUpstream = (answer: string, isAsked = (_request: string) => true) =>
  tcpUpstream((socket: Socket) =>
    socket.on('data', (request) => {
      if (!isAsked(String(request))) return
      socket.write(answer, 'latin1')
      beBusy()
    }),
  )

function poolTo({ url }: { url: string }): ConnectionPool {
  const pool = new ConnectionPool(parseTarget(url), 'copies')
  onTestFinished(() => pool.close())
  return pool
}

test('a connection that is made while the process is too busy to hear of it is not given up', async () => {
  const { url } = await tcpUpstream(() => {})
  const target = parseTarget(url, undefined, 2 * limitMs)
  const socket = connectTo(target, 'requests')
  onTestFinished(() => void socket.destroy())
  // behind the system call that begins the connection
  process.nextTick(() => beBusy())
  await once(socket, 'connect')
  expect([target.connectMaxMs, socket.destroyed]).toEqual([limitMs, false])
})

test.each([2, 150_000])('nor is a copy whose answer of %i bytes came in time', async (bytes) => {
  const pool = poolTo(await busyUpstream(ok('x'.repeat(bytes))))
  const limits = { deadlineMs: limitMs, responseBytesMax: 1e6, budget: new ByteBudget(1e7), clock: systemClock }
  const request = { method: 'GET', path: '/', fields: [], body: Buffer.alloc(0) }
  const outcome = await new Promise<LegOutcome>((done) => sendShadow(pool, request, limits, done))
  expect(outcome).toMatchObject({ kind: 'answered', body: { bytes } })
})

test('nor is a delivery, a health check or whatever else is asked for as a whole', async () => {
  const pool = poolTo(await busyUpstream(ok()))
  const request = { method: 'GET', path: '/', fields: [], body: [], withinMs: limitMs } as const
  expect(await sendWhole(pool, request)).toMatchObject({ status: 200, body: 'ok' })
})

test.each(forwarders)('nor does a client of %s lose an answer that came in time', async (forwarder) => {
  const primary = await busyUpstream(ok())
  const mirror = await mirrorUnderTest({ forwarder, primary: primary.url, timeout: `${limitMs}ms` })
  const client = await rawClient(mirror.url)
  client.socket.write(head('GET /x HTTP/1.1', host))
  await received(client, (answers) => answers.endsWith('ok'))
  expect(client.received).toMatch(/^HTTP\/1\.1 200 /)
})

test('nor is a WebSocket given up that the primary has accepted in time', async () => {
  const upgrade = ['upgrade: websocket', 'connection: upgrade']
  const primary = await busyUpstream(head('HTTP/1.1 101 Switching Protocols', ...upgrade))
  const mirror = await mirrorUnderTest({ primary: primary.url, timeout: `${limitMs}ms` })
  const client = await rawClient(mirror.url)
  client.socket.write(head('GET /x HTTP/1.1', host, ...upgrade))
  await received(client, (answers) => answers.endsWith('\r\n\r\n'))
  expect(client.received).toMatch(/^HTTP\/1\.1 101 /)
})

test.each(forwarders)('nor is a client of %s taken for idle that has sent its next request', async (forwarder) => {
  const primary = await tcpUpstream((socket) => socket.on('data', () => socket.write(ok())))
  const mirror = await mirrorUnderTest({ forwarder, primary: primary.url, idleTimeout: '1s' })
  const client = await rawClient(mirror.url)
  const answers = (count: number) =>
    received(client, (bytes) => bytes.split('HTTP/1.1 200').length > count && bytes.endsWith('ok'))
  client.socket.write(head('GET /x HTTP/1.1', host))
  await answers(1)
  // before timers are looked at, and then sockets; Node's own server adds a second
  setImmediate(() => {
    client.socket.write(head('GET /x HTTP/1.1', host))
    beBusy(2500)
  })
  await answers(2)
  expect(client.received.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
})

test('nor is a head too slow that came whole in time', async () => {
  const primary = await tcpUpstream((socket) => socket.on('data', () => socket.write(ok())))
  const mirror = await mirrorUnderTest({ primary: primary.url })
  const client = await rawClient(mirror.url)
  await sendPieces(client, ['GET /x HTTP/1.1\r\n'])
  // which leaves a second for it
  const stopped = mirror.stop()
  setImmediate(() => {
    client.socket.write(`${host}\r\n\r\n`)
    beBusy(1500)
  })
  await received(client, (answers) => answers.endsWith('ok'))
  expect(client.received).toMatch(/^HTTP\/1\.1 200 /)
  await stopped
})
