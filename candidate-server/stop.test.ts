import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { head, openConnection } from './testing/raw-connection.ts'
import { call, startTestServer, testConfig, testModel, untilRefused } from './testing/start-test-server.ts'

/** Works on a request, and then on its response, for as long as a file exists. */
const source = `
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
const folder = new URL('.', import.meta.url)
async function work(name) {
  writeFileSync(new URL(name + '-begun', folder), '')
  while (!existsSync(new URL(name + '-over', folder))) await wait(5)
}
export async function toTensors({ headers }) {
  await work((headers['x-name'] ?? '') + 'tensors')
  return { index: { shape: [1], data: [3] } }
}
export async function toResponse({ row }, model, { headers }) {
  await work('response')
  return headers['x-mib'] ? new Response('x'.repeat(headers['x-mib'] * 2 ** 20)) : [...row.data]
}
`

async function start(limits = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-stop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const adapter = join(folder, 'adapter.mjs')
  writeFileSync(adapter, source)
  const section = (version: string) => ({
    limits,
    models: [{ name: 'table', path: testModel('table'), adapter, version }],
  })
  const server = await startTestServer(section('1'))
  onTestFinished(() => server.stop())
  return {
    server,
    ask: () => call(`${server.url}/predictions/table`, 'x'),
    send: (...fields: string[]) =>
      openConnection(server.url, `${head('/predictions/table', 'content-length: 1', ...fields)}x`),
    replace: () => server.reload(testConfig(section('2'))),
    isThere: (name: string) => waitFor(name, () => existsSync(join(folder, name))),
    write: (name: string) => writeFileSync(join(folder, name), ''),
  }
}
const ending = { status: 503, body: { message: expect.stringContaining('it is replaced, or the server is stopping') } }

test('every fully received request is answered before the server stops, even in its adapter before or after the run', async () => {
  const { server, ask, isThere, write } = await start()
  const asked = ask()
  await isThere('tensors-begun')
  let isOver = false
  const stopped = server.stop().finally(() => {
    isOver = true
  })
  await untilRefused(server.url)
  write('tensors-over')
  await isThere('response-begun')
  expect(isOver).toBe(false)
  write('response-over')
  expect(await asked).toMatchObject({ status: 200, body: [3, 30] })
  await stopped
})

test('idle kept connections are closed, and one with Node is answered and closed, while others are busy', async () => {
  const { server, send, isThere, write } = await start()
  write('tensors-over')
  write('response-over')
  const plain = await send()
  const chunked = `${head('/predictions/table', 'transfer-encoding: chunked')}1\r\nx\r\n0\r\n\r\n`
  const mixed = await openConnection(server.url, chunked)
  await Promise.all([plain, mixed].map(({ socket }) => once(socket, 'data')))
  const long = await send('x-name: long-')
  await isThere('long-tensors-begun')
  const stopped = server.stop()
  await untilRefused(server.url)
  mixed.socket.write(chunked)
  expect((await plain.answer).match(/HTTP\/1\.1 200 /g)).toHaveLength(1)
  expect(await mixed.answer).toMatch(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i)
  write('long-tensors-over')
  expect(await long.answer).toMatch(/^HTTP\/1\.1 200 /)
  await stopped
})

test('an answer is waited for until its client has read it', async () => {
  const { server, send, write } = await start()
  write('tensors-over')
  write('response-over')
  const clients = await Promise.all([send('x-mib: 12'), send('x-mib: 12', 'te: trailers')])
  for (const { socket } of clients) socket.pause()
  await waitFor('two replies', async () =>
    /replies_total\{.*model="table".*\} 2/.test(String((await call(`${server.url}/metrics`)).body)),
  )
  const stopped = server.stop()
  // longer than any connection's grace period
  await wait(1_500)
  for (const { socket } of clients) socket.resume()
  for (const answer of await Promise.all(clients.map(({ answer }) => answer))) {
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toHaveLength(12 * 2 ** 20)
  }
  await stopped
})

test('clients that have left are not waited for, even if their version was replaced', async () => {
  const { server, send, isThere, replace } = await start({ drainTimeout: '60s' })
  const leave = async (name: string, ...fields: string[]) => {
    const { socket, answer } = await send(`x-name: ${name}-`, ...fields)
    await isThere(`${name}-tensors-begun`)
    socket.destroy()
    await answer
  }
  await leave('before')
  await replace()
  await Promise.all([leave('plain'), leave('other', 'te: trailers')])
  await server.stop()
})

test('requests still in an adapter at drainTimeout are told that their version is ending', async () => {
  const { server, ask, isThere } = await start({ drainTimeout: '100ms' })
  const asked = ask()
  await isThere('tensors-begun')
  await server.stop()
  expect(await asked).toMatchObject(ending)
})

test('and likewise if another version has replaced it', async () => {
  const { ask, isThere, replace } = await start({ drainTimeout: '100ms' })
  const asked = ask()
  await isThere('tensors-begun')
  await replace()
  expect(await asked).toMatchObject(ending)
})

test('clients that are connected but not yet accepted are answered', async () => {
  const { server, write } = await start()
  write('tensors-over')
  write('response-over')
  const text = `${head('/predictions/table', 'content-length: 1')}x`
  const clients = await Promise.all(Array.from({ length: 20 }, () => openConnection(server.url, text)))
  await server.stop()
  for (const { answer } of clients) expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
})

test('a request that has only begun to arrive is cut off after a second, not told that its version is ending', async () => {
  const { server } = await start()
  const request = (...fields: string[]) => head('/predictions/table', ...fields)
  const texts = [`${request('content-length: 1')}x`, `${request('transfer-encoding: chunked')}1\r\nx\r\n0\r\n\r\n`]
  const begun = await Promise.all(texts.map((text) => openConnection(server.url, text.slice(0, -1))))
  await call(`${server.url}/healthz`)
  const stopped = server.stop()
  await wait(1_300)
  for (const [i, { socket }] of begun.entries()) socket.write(texts[i]!.slice(-1))
  expect(await Promise.all(begun.map(({ answer }) => answer))).toEqual(['', ''])
  await stopped
})
