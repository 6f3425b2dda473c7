import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { Random } from '../test/fuzz/random.ts'
import type { CandidateServer } from './server.ts'
import { head, openConnection } from './testing/raw-connection.ts'
import { call, startTestServer, testModel } from './testing/start-test-server.ts'

let server: CandidateServer
beforeAll(async () => {
  server = await startTestServer({ limits: { bodyMax: '1KiB' }, models: [{ name: 'table', path: testModel('table') }] })
})
afterAll(() => server?.stop())

const path = '/predictions/table'
const plain = (body: string) => `${head(path, `content-length: ${body.length}`)}${body}`
const last = (body: string) => `${head(path, `content-length: ${body.length}`, 'connection: close')}${body}`
const bodiesOf = (answer: string) => answer.match(/\{"predictions":.*?\]\}/g)

const kindsOfRequests: [request: string, status: number][] = [
  [plain('1'), 200],
  [plain(`2${' '.repeat(900)}`), 200],
  [plain('"no number"'), 400],
  [plain('') /* no JSON at all */, 400],
  [`${head(path, 'transfer-encoding: chunked')}1\r\n3\r\n0\r\n\r\n`, 200],
  ['GET /ping HTTP/1.1\r\nhost: test\r\n\r\n', 200],
]

/** Everything received, once it contains that many answers. */
async function open(text: string) {
  const connection = await openConnection(server.url, text)
  onTestFinished(() => void connection.socket.destroy())
  let received = ''
  connection.socket.on('data', (chunk) => {
    received += chunk
  })
  const answers = (count: number) =>
    waitFor(
      `${count} answers`,
      () => received.match(/HTTP\/1\.1 \d+/g) ?? [],
      ({ length }) => length === count,
    )
  return { ...connection, answers }
}

test('a connection’s requests are answered in order, whichever of the two servers reads them', async () => {
  const { socket, answers, answer } = await open(plain('3'))
  await answers(1)
  socket.write(plain('2'))
  await answers(2)
  // from here on, Node's server handles the connection
  socket.write(`${head(path, 'transfer-encoding: chunked')}1\r\n1\r\n0\r\n\r\n`)
  await answers(3)
  socket.write(last('2'))
  expect(bodiesOf(await answer)).toEqual([3, 2, 1, 2].map((index) => `{"predictions":[${index},${index}0]}`))
})

test('pipelined requests are answered in order', async () => {
  const { socket, answer } = await open(plain('3'))
  socket.write(plain('2') + plain('1'))
  socket.write(last('2'))
  expect(bodiesOf(await answer)).toEqual([3, 2, 1, 2].map((index) => `{"predictions":[${index},${index}0]}`))
})

test('a request is answered even if no HTTP follows it', async () => {
  const { answer } = await open(`${plain('2')}\0\r\n\r\n`)
  expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"predictions":\[2,20\]\}HTTP\/1\.1 400 /)
})

test.each([
  ['a GET', 'GET /ping HTTP/1.1\r\nhost: test\r\n\r\n', ['200']],
  ['a body in chunks', `${head(path, 'transfer-encoding: chunked')}1\r\n3\r\n0\r\n\r\n`, ['200']],
  [
    'both',
    `GET /ping HTTP/1.1\r\nhost: test\r\n\r\n${head(path, 'transfer-encoding: chunked')}1\r\n3\r\n0\r\n\r\n`,
    ['200', '200'],
  ],
  ['nothing', '', ['400']],
  ['a chunk', `${head(path, 'transfer-encoding: chunked')}1\r\n3\r\n`, ['400']],
])('what came whole before is answered if no HTTP follows %s, and the connection ends', async (_, whole, statuses) => {
  const { answer } = await open(`${whole}no HTTP\r\n\r\n`)
  const received = await answer
  expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(statuses)
  expect(received).toMatch(/Connection: close/i)
})

test('a request with several hosts is refused', async () => {
  const { answer } = await open(`${head(path, 'host: other', 'content-length: 1')}1`)
  expect(await answer).toMatch(/^HTTP\/1\.1 400 /)
})

test('a client that treats the server as a proxy sends an absolute URL', async () => {
  const asProxy = last('2').replace(path, `http://model.test:8080${path}?client=proxy`)
  expect(bodiesOf(await (await open(asProxy)).answer)).toEqual(['{"predictions":[2,20]}'])
  const ping = 'GET http://model.test/ping HTTP/1.1\r\nhost: model.test\r\nconnection: close\r\n\r\n'
  expect(await (await open(ping)).answer).toContain('HTTP/1.1 200 OK')
})

test('a head may be as large as those that a mirror forwards', async () => {
  const cookies = Array.from({ length: 10 }, (_, i) => `x-part-${i}: ${'c'.repeat(6 * 1024)}`)
  const large = `${head(path, 'content-length: 1', 'connection: close', ...cookies)}2`
  expect(bodiesOf(await (await open(large)).answer)).toEqual(['{"predictions":[2,20]}'])
})

test('no field of a head with many is lost', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => `x-${i}: 1`)
  const form = head(
    path,
    'content-length: 47',
    'connection: close',
    ...many,
    'content-type: multipart/form-data; boundary=b',
  )
  const { answer } = await open(`${form}--b\r\ncontent-disposition: form-data\r\n\r\n2\r\n--b--`)
  expect(bodiesOf(await answer)).toEqual(['{"predictions":[2,20]}'])
})

test('a request may arrive in pieces, soon or late', async () => {
  const { socket, answers, answer } = await open(plain('1').slice(0, -1))
  socket.write('1')
  await answers(1)
  socket.write(plain('2').slice(0, 20))
  await wait(100)
  socket.write(plain('2').slice(20))
  await answers(2)
  socket.write(last('3'))
  expect(bodiesOf(await answer)).toHaveLength(3)
})

test('a body may arrive in any pieces, followed by the next request', async () => {
  const text = plain(`"${'x'.repeat(200)}"`) + plain('2')
  for (const size of [1, 7, 100, 300]) {
    const { socket, answers, answer } = await open('')
    socket.setNoDelay()
    for (let at = 0; at < text.length; at += size) {
      socket.write(text.slice(at, at + size))
      await wait(1)
    }
    expect(await answers(2), `in pieces of ${size}`).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
    socket.write(last('3'))
    expect(bodiesOf(await answer)).toEqual(['{"predictions":[2,20]}', '{"predictions":[3,30]}'])
  }
})

test('requests of any kind, in any pieces, are answered in order', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed)
    const kinds = Array.from({ length: random.int(1, 4) }, () => random.pick(kindsOfRequests))
    const text = kinds.map(([request]) => request).join('') + last('3')
    const { socket, answer } = await open('')
    socket.setNoDelay()
    for (let at = 0; at < text.length; ) {
      const size = random.int(1, random.chance(0.5) ? 20 : text.length)
      socket.write(text.slice(at, at + size))
      at += size
      if (random.chance(0.3)) await wait(random.int(0, 3))
    }
    const statuses = (await answer).match(/HTTP\/1.1 \d+/g)
    expect(statuses, `seed ${seed}`).toEqual([...kinds.map(([, status]) => `HTTP/1.1 ${status}`), 'HTTP/1.1 200'])
  }
})

test('an answer that does not wait for the body closes the connection once the body has arrived', async () => {
  const nowhere = plain('x'.repeat(1000)).replace(path, '/nowhere')
  const { socket, answers, answer } = await open(nowhere.slice(0, -500))
  expect(await answers(1)).toEqual(['HTTP/1.1 404'])
  await wait(100)
  expect(socket.closed).toBe(false)
  socket.write(nowhere.slice(-500) + plain('1'))
  expect(await answer).toMatch(/^HTTP\/1.1 404 [\s\S]*\r\nConnection: close\r\n[\s\S]*nowhere"\}$/)
})

test('the part of a body that had arrived is released when its client leaves', async () => {
  const other = await startTestServer({
    limits: { bodyMax: '256KiB', bodiesMax: '256KiB' },
    models: [{ name: 'table', path: testModel('table') }],
  })
  onTestFinished(() => other.stop())
  const ask = async () => (await call(`${other.url}${path}`, `1${' '.repeat(150_000)}`)).status
  const half = head(path, 'content-length: 200000') + ' '.repeat(199_999)
  const { socket, answer } = await openConnection(other.url, half)
  await waitFor('no room', ask, (status) => status === 503)
  socket.destroy()
  await answer
  await waitFor('room', ask, (status) => status === 200)
})

test('limits apply, and the connection continues', async () => {
  const { socket, answers, answer } = await open(plain(`"${'x'.repeat(1024)}"`))
  expect(await answers(1)).toEqual(['HTTP/1.1 413'])
  socket.write(last('1'))
  expect(bodiesOf(await answer)).toEqual(['{"predictions":[1,10]}'])
})

test('non-Latin names are sent with the correct length', async () => {
  const { status, body } = await call(`${server.url}${path}`, { größe: 1 })
  expect([status, body.message]).toEqual([400, expect.stringContaining('größe')])
})

test('a connection does not accumulate the memory of its large answers', async () => {
  const other = await startTestServer({ models: [{ name: 'large', path: testModel('large-output') }] })
  onTestFinished(() => other.stop())
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const body = JSON.stringify({ inputs: [{ name: 'x', datatype: 'FP32', shape: [1], data: [0.1234567] }] })
  for (let i = 0; i < 12; i++) {
    const asked = request(`${other.url}/v2/models/large/infer`, { agent, method: 'POST' })
    asked.end(body)
    const [response] = await once(asked, 'response')
    expect(asked.reusedSocket).toBe(i > 0)
    expect((await buffer(response)).length).toBeGreaterThan(8 * 1024 * 1024)
  }
  expect(warnings).toEqual([])
})

test('a connection that is idle, or in the middle of a request, does not hold up a stop', async () => {
  const other = await startTestServer({ models: [{ name: 'table', path: testModel('table') }] })
  const idle = await openConnection(other.url, plain('1'))
  const half = await openConnection(other.url, plain('1').slice(0, -1))
  await waitFor(
    'the first run',
    () => call(`${other.url}/v2/models/table/stats`),
    ({ body }) => body.model_stats[0].inference_count === 1,
  )
  await other.stop()
  expect(bodiesOf(await idle.answer)).toHaveLength(1)
  await half.answer
})

test('a request that is still arriving when the server is told to stop is answered, whichever of the two servers reads it', async () => {
  const other = await startTestServer({ models: [{ name: 'table', path: testModel('table') }] })
  const ask = '/predictions/table'
  const texts = [`${head(ask, 'content-length: 1')}1`, `${head(ask, 'transfer-encoding: chunked')}1\r\n1\r\n0\r\n\r\n`]
  // nothing of the first one's body has arrived
  const begun = await Promise.all(texts.map((text) => openConnection(other.url, text.slice(0, -1))))
  await call(`${other.url}/healthz`)
  const stopped = other.stop()
  for (const [i, { socket }] of begun.entries()) socket.write(texts[i]!.slice(-1))
  for (const { answer } of begun) {
    expect(await answer).toMatch(/HTTP\/1.1 200 [\s\S]*\r\nConnection: close\r\n[\s\S]*predictions/i)
  }
  await stopped
})
