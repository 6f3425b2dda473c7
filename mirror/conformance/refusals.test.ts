import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type ForwarderName, forwarders, head, host, ok } from './case.ts'
import { nodeExceptions } from './cases/node-exceptions.ts'
import { misplacedTrailers, refusedBodies } from './cases/refused-bodies.ts'
import { type Refusal, refusedFraming, refusedHeads } from './cases/refused-heads.ts'
import { type RawClient, rawClient, received, sendPieces } from './raw-client.ts'
import { pause, rawPrimary, reply } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'
import { table } from './table.ts'

const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: models.example\r\n\r\n'

const everyBody = [...refusedBodies, ...misplacedTrailers]

describe.each(forwarders)('%s refuses', (forwarder) => {
  describe('a head that two servers could read differently:', () => table(forwarder, refusedFraming, isRefused))
  describe('an invalid head:', () => table(forwarder, refusedHeads, isRefused))
  describe('a chunked body, from where it becomes invalid:', () => table(forwarder, everyBody, isRefused))
})

describe('after an HTTP/1.0 request on the same connection, wire refuses', () => {
  const refusals = [...refusedFraming, ...refusedHeads, ...everyBody]
  test.each(refusals.map((refusal) => [refusal.name, refusal] as const))('%s', async (_name, { sends, status }) => {
    const primary = await rawPrimary(() => reply(ok()))
    const mirror = await plainMirror(primary.url, 'wire')
    const client = await rawClient(mirror.url)
    await sendPieces(client, [head('GET /first HTTP/1.0', host, 'connection: keep-alive')])
    await waitFor('the first answer', () => client.received.includes('HTTP/1.1 200'))
    await sendPieces(client, [sends + smuggled])
    await received(client, () => false)
    const answers = client.received.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)))
    expect(answers).toEqual([200, expect.toBeOneOf([...status])])
    expect(primary.requests.filter((request) => !request.startsWith('GET /first '))).toEqual([])
  })
})

const misleading = head('GET http://user@models.example/p HTTP/1.1', host)

test.each(forwarders)('%s refuses a bad target in its turn, and nothing after it passes', async (forwarder) => {
  const primary = await rawPrimary(() => reply(pause, ok()))
  const mirror = await plainMirror(primary.url, forwarder)
  const client = await rawClient(mirror.url)
  await sendPieces(client, [head('GET /first HTTP/1.1', host) + misleading + smuggled])
  await received(client, () => false)
  const answers = client.received.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)))
  expect([answers, primary.requests.length]).toEqual([[200, 400], 1])
})

test.each(forwarders)('%s refuses a WebSocket with a bad target', async (forwarder) => {
  const primary = await rawPrimary(() => reply(ok()))
  const mirror = await plainMirror(primary.url, forwarder)
  const client = await rawClient(mirror.url)
  const upgrade = ['upgrade: websocket', 'connection: upgrade', 'sec-websocket-key: x3JJHMbDL1EzLkh9GBhXDw==']
  await sendPieces(client, [head('GET http://user@models.example/p HTTP/1.1', host, ...upgrade)])
  await isAnsweredOnce(client, [400])
  expect(primary.connections).toEqual([])
})

test('wire holds a line back until it is known to be valid', async () => {
  for (const { sends, legal } of everyBody.filter((refusal) => refusal.sends.length < 1000)) {
    const primary = await rawPrimary([])
    const mirror = await plainMirror(primary.url, 'wire')
    const client = await rawClient(mirror.url)
    await sendPieces(client, sends)
    for (const { received: bytes } of primary.connections) expect(legal!.startsWith(bytes)).toBe(true)
  }
})

test('every exception listed for Node names an existing refusal', () => {
  const names = [...refusedFraming, ...refusedHeads, ...everyBody].map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(nodeExceptions)))
})

/** On a mirrored route and outside it; whole, in two writes and byte by byte. */
async function isRefused(forwarder: ForwarderName, refusal: Refusal): Promise<void> {
  const primary = await rawPrimary(() => reply(ok()))
  const mirror = await plainMirror(primary.url, forwarder, 'http://127.0.0.1:9')
  const send = async (pieces: Iterable<string>) => {
    const client = await rawClient(mirror.url)
    await sendPieces(client, pieces)
    return client
  }
  const { sends } = refusal
  const clients = await Promise.all([
    send([sends + smuggled]),
    send([sends, smuggled]),
    send([sends.replace(' /p', ' /x') + smuggled]),
    ...(sends.length < 1000 ? [send(sends + smuggled)] : []),
  ])
  const exception = forwarder === 'http-proxy-3' ? nodeExceptions[refusal.name]?.does : undefined
  if (exception === 'passes') {
    // as one request: what follows is another, if the connection is kept
    await waitFor('the request', () => primary.requests.length > 0)
    for (const request of primary.requests) expect(request).toMatch(/^(POST|GET) \S+ HTTP\/1\.1\r\n/)
    const apart = primary.requests.filter((request) => request.includes('smuggled'))
    for (const request of apart) expect(request).toMatch(/^GET \/smuggled /)
    return
  }
  for (const client of clients) {
    if (exception === 'waits') expect([client.received, client.end]).toEqual(['', 'open'])
    else if (exception === 'closes') await isClosed(client)
    else await isAnsweredOnce(client, exception === undefined ? refusal.status : [exception])
  }
  expect(primary.requests).toEqual([])
  for (const connection of primary.connections) {
    const { received: bytes } = connection
    if (exception !== 'waits') expect(bytes).not.toContain('smuggled')
    if (forwarder === 'wire') expect(sends).toContain(bytes.replace(' /x', ' /p'))
    if (exception !== 'waits') await waitFor('the primary to be told', () => bytes === '' || connection.end !== 'open')
  }
}

async function isClosed(client: RawClient): Promise<void> {
  await received(client, () => false)
  expect(client.received).toBe('')
  expect(client.end).not.toBe('open')
}

async function isAnsweredOnce(client: RawClient, status: readonly number[]): Promise<void> {
  await received(client, () => false)
  const answers = client.received.match(/^HTTP\/1\.1 \d+/gm)?.map((line) => Number(line.slice(9)))
  expect(answers).toEqual([expect.toBeOneOf([...status])])
  expect(client.received).toMatch(/^connection: close\r$/im)
  // reset if it still wrote after everything was sent
  expect(client.end).not.toBe('open')
}
