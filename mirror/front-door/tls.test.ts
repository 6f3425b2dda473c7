import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { readCertificate } from '../certificate.ts'
import { date, head, ok } from '../conformance/case.ts'
import { fin, rawPrimary, reply } from '../conformance/raw-primary.ts'
import { startMirror } from '../server.ts'
import { answering, fakeUpstream, readAll } from '../testing/fake-upstream.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { mirrorConfig, mirrorUnderTest, tempDir } from '../testing/mirror-under-test.ts'
import { onlyForwarding } from '../testing/only-forwarding.ts'
import { caPem, localhost, renewed } from '../testing/tls/files.ts'
import { FrontDoor } from './front-door.ts'

const portOf = (url: string) => Number(new URL(url).port)

async function tlsClient(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port: portOf(url), host: '127.0.0.1', servername: 'localhost', ca: caPem, ...options })
  socket.on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'secureConnect')
  return socket
}

/** Whether or not a reset comes first, as it does for a client that is still writing. */
const closeOf = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

/** Sends bytes; returns everything received. */
async function exchange(socket: TLSSocket, bytes: string): Promise<string> {
  socket.write(bytes)
  return (await readAll(socket)).toString('latin1')
}

const get = 'GET /x HTTP/1.1\r\nhost: models.example\r\nconnection: close\r\n\r\n'

describe.each(['wire', 'http-proxy-3'] as const)('over %s', (forwarder) => {
  test('a TLS client is answered, and the primary is told about TLS', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ forwarder, tls: localhost, primary: primary.url })
    expect(mirror.url).toMatch(/^https:/)
    for (const options of [{}, { ALPNProtocols: ['http/1.1'] }]) {
      expect(await exchange(await tlsClient(mirror.url, options), get)).toMatch(/^HTTP\/1.1 200/)
    }
    expect(primary.heads[0]!.headers).toMatchObject({ 'x-forwarded-proto': 'https', host: 'models.example' })
  })

  test('a body bounded by close is reset if it breaks off', async () => {
    const half = `${head('HTTP/1.1 200 OK', date, 'transfer-encoding: chunked')}5\r\nhello\r\n`
    const primary = await rawPrimary([reply(half, fin), reply(ok())])
    const mirror = await mirrorUnderTest({ forwarder, tls: localhost, primary: primary.url })
    const broken = exchange(await tlsClient(mirror.url), 'GET /x HTTP/1.0\r\n\r\n')
    await expect(broken).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await exchange(await tlsClient(mirror.url), get)).toMatch(/^HTTP\/1.1 200/)
  })
})

test('a client that closes its side after the request still gets the answer', async () => {
  const primary = await fakeUpstream(answering('whole'))
  const mirror = await mirrorUnderTest({ tls: localhost, primary: primary.url })
  const socket = await tlsClient(mirror.url, { allowHalfOpen: true } as ConnectionOptions)
  socket.end('GET /x HTTP/1.1\r\nhost: x\r\n\r\n')
  const answer = (await readAll(socket)).toString()
  expect(answer).toMatch(/^HTTP\/1.1 200/)
  expect(answer).toContain('whole')
})

test('a client that offers HTTP/2 first gets it, one that offers no known protocol is refused', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({ tls: localhost, primary: primary.url })
  expect((await tlsClient(mirror.url, { ALPNProtocols: ['h2', 'http/1.1'] })).alpnProtocol).toBe('h2')
  expect((await tlsClient(mirror.url, { ALPNProtocols: ['http/1.1'] })).alpnProtocol).toBe('http/1.1')
  await expect(tlsClient(mirror.url, { ALPNProtocols: ['spdy/3'] })).rejects.toThrow()
  const plain = connectTcp(portOf(mirror.url), '127.0.0.1')
  plain.on('error', () => {})
  plain.write(get)
  await once(plain, 'close')
  expect(primary.heads).toEqual([])
})

test('a reload reads the certificate from its current path, and connections go on', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const config = (tls: object) => mirrorConfig({ tls, primary: primary.url, spool: { dir: tempDir() } })
  const mirror = await startMirror({ config: config(localhost), logger: createLogger('mirror', 'silent') })
  onTestFinished(() => mirror.stop())
  const before = await tlsClient(mirror.url)
  const first = before.getPeerX509Certificate()!.fingerprint256
  const prepared = await mirror.prepare(config(renewed))
  await prepared.apply()
  expect((await tlsClient(mirror.url)).getPeerX509Certificate()!.fingerprint256).not.toBe(first)
  expect(await exchange(before, get)).toMatch(/^HTTP\/1.1 200/)
})

test('a reload refuses a key that does not match, and the certificate stays', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const good = mirrorConfig({ tls: localhost, primary: primary.url, spool: { dir: tempDir() } })
  const mirror = await startMirror({ config: good, logger: createLogger('mirror', 'silent') })
  onTestFinished(() => mirror.stop())
  // as if they had changed after the check
  const bad = { ...good, tls: { cert: localhost.cert, key: renewed.key } }
  await expect(mirror.prepare(bad)).rejects.toThrow()
  const nonsense = join(tempDir(), 'cert.pem')
  writeFileSync(nonsense, 'nonsense')
  await expect(mirror.prepare({ ...good, tls: { cert: nonsense, key: localhost.key } })).rejects.toThrow()
  expect(await exchange(await tlsClient(mirror.url), get)).toMatch(/^HTTP\/1.1 200/)
})

test('the metrics say when the certificate ends that clients are shown now', async () => {
  const { mirror } = await loggedMirror({ tls: localhost, primary: 'http://127.0.0.1:1' })
  const endOnPage = async () => {
    const { text } = await mirror.admin('/metrics')
    return Number(/^understudy_mirror_certificate_end_timestamp_seconds (\d+)$/m.exec(text)?.[1])
  }
  const endShown = async () => (await tlsClient(mirror.url)).getPeerX509Certificate()!.validToDate.getTime() / 1000
  const first = await endOnPage()
  expect(first).toBe(await endShown())
  const next = await mirror.prepare(mirrorConfig({ tls: renewed, primary: 'http://127.0.0.1:1' }))
  await next.apply()
  expect(await endOnPage()).toBe(await endShown())
  expect(await endOnPage()).not.toBe(first)
})

test('handshakes that fail for a reason are counted, and logged once a second; those of clients that leave are not', async () => {
  const { mirror, logged } = await loggedMirror({ tls: localhost, primary: 'http://127.0.0.1:1' })
  const count = async () => {
    const { text } = await mirror.admin('/metrics')
    return Number(/^understudy_mirror_failed_handshakes_total (\d+)$/m.exec(text)?.[1])
  }
  const probe = connectTcp(portOf(mirror.url), '127.0.0.1')
  await once(probe, 'connect')
  probe.end()
  await closeOf(probe)
  const plain = connectTcp(portOf(mirror.url), '127.0.0.1')
  plain.on('error', () => {})
  plain.write(get)
  await closeOf(plain)
  await expect(tlsClient(mirror.url, { ALPNProtocols: ['spdy/3'] })).rejects.toThrow()
  await waitFor('both to be counted', async () => (await count()) === 2)
  expect(logged('a TLS handshake failed')).toMatchObject([
    { code: 'ERR_SSL_HTTP_REQUEST', reason: 'http request', client: '127.0.0.1' },
  ])
})

/** The front door alone, with a short limit for handshakes. */
async function door(handshakeMaxMs: number): Promise<{ frontDoor: FrontDoor; url: string }> {
  const stage = await onlyForwarding((_what, step) => {
    step()
    return true
  })
  const frontDoor = new FrontDoor({ stage: () => stage, tls: readCertificate(localhost), handshakeMaxMs })
  onTestFinished(async () => {
    await frontDoor.drain(0)
  })
  return { frontDoor, url: await frontDoor.listen({ host: '127.0.0.1', port: 0 }) }
}

test.each([
  ['says nothing', []],
  ['begins its handshake and drips', ['\x16', '\x03', '\x01', '\x02', '\x00', '\x01']],
])('a client that %s is dropped', async (_what, bytes) => {
  const { url } = await door(300)
  const socket = connectTcp(portOf(url), '127.0.0.1')
  socket.on('error', () => {})
  const dripping = setInterval(() => {
    const next = bytes.shift()
    if (next !== undefined) socket.write(next, 'latin1')
  }, 100)
  onTestFinished(() => clearInterval(dripping))
  const startedAt = performance.now()
  await closeOf(socket)
  expect(performance.now() - startedAt).toBeLessThan(2000)
})

test.each(['', '\x16\x03\x01'])('a client that leaves after %j of its handshake is gone at once', async (begun) => {
  const { frontDoor, url } = await door(60_000)
  const socket = connectTcp({ port: portOf(url), host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  await waitFor('the connection to be there', () => frontDoor.connections === 1)
  socket.end(begun, 'latin1')
  await waitFor('the connection to be gone', () => frontDoor.connections === 0)
})

test.each([0, 60_000])('a client in the middle of its handshake does not hold up a stop of %d ms', async (drainMs) => {
  const { frontDoor, url } = await door(60_000)
  const socket = connectTcp(portOf(url), '127.0.0.1')
  socket.on('error', () => {})
  const closed = closeOf(socket)
  await once(socket, 'connect')
  socket.write('\x16\x03', 'latin1')
  await waitFor('the connection to be there', () => frontDoor.connections === 1)
  expect(await frontDoor.drain(drainMs)).toBe('drained')
  await closed
})
