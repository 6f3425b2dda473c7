import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../runtime/logger.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { head, openConnection } from './testing/raw-connection.ts'
import { call, startTestServer, testModel } from './testing/start-test-server.ts'

/** Blocks its process until it is opened. */
const source = `
import { existsSync, writeFileSync } from 'node:fs'
const folder = new URL('.', import.meta.url)
const pause = new Int32Array(new SharedArrayBuffer(4))
export function toTensors() {
  writeFileSync(new URL('begun', folder), '')
  while (!existsSync(new URL('open', folder))) Atomics.wait(pause, 0, 0, 5)
  return { index: { shape: [1], data: [0] } }
}
export const toResponse = () => ({})
`

test.each<[string, number, ...string[]]>([
  ['those of Node’s server', 200_000, 'te: trailers'],
  ['plain ones', 200_000],
  ['plain ones that are read at once', 60_000],
])(
  'bodies that wait for an adapter are counted even after their clients have left: %s',
  async (_, bytes, ...fields) => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-left-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const adapter = join(folder, 'adapter.mjs')
    writeFileSync(adapter, source)
    const server = await startTestServer({
      limits: { bodyMax: '256KiB', bodiesMax: '512KiB' },
      models: [
        { name: 'blocked', path: testModel('table'), adapter },
        { name: 'table', path: testModel('table') },
      ],
    })
    onTestFinished(() => server.stop())
    const first = call(`${server.url}/predictions/blocked`, 'x')
    await waitFor('the first run', () => existsSync(join(folder, 'begun')))
    const ask = async () => (await call(`${server.url}/predictions/table`, `1${' '.repeat(200_000)}`)).status
    const leave = async () => {
      const text = head('/predictions/blocked', `content-length: ${bytes}`, ...fields) + 'x'.repeat(bytes)
      const { socket, answer } = await openConnection(server.url, text)
      // long enough for all of it to have been read
      await wait(100)
      socket.destroy()
      await answer
      return ask()
    }
    await expect.poll(leave, { interval: 0 }).toBe(503)
    writeFileSync(join(folder, 'open'), '')
    expect((await first).status).toBe(200)
    await expect.poll(ask).toBe(200)
  },
)

test.each<[string, ...string[]]>([['of Node’s server', 'te: trailers'], ['that is plain']])(
  'a client that leaves before its body has arrived is no error of the server: a request %s',
  async (_, ...fields) => {
    const logger = createLogger('test', 'silent')
    const logged = vi.spyOn(logger, 'error')
    const server = await startTestServer({ models: [{ name: 'table', path: testModel('table') }] }, { logger })
    onTestFinished(() => server.stop())
    const half = `${head('/predictions/table', 'content-length: 10', ...fields)}1`
    const { socket, answer } = await openConnection(server.url, half)
    socket.end()
    await answer
    const replies = async () =>
      /replies_total{.*model="table",status="(\d+)"/.exec((await call(`${server.url}/metrics`)).body)
    const [, status] = (await waitFor('a reply', replies, (found) => found !== null))!
    expect([status, logged.mock.calls]).toEqual(['499', []])
  },
)

test('a request whose client left while it was in a batch is not run again', async () => {
  const table = { name: 'table', path: testModel('table'), batch: { sizeMax: 3, delayMax: '60s' } }
  const server = await startTestServer({ models: [table] })
  onTestFinished(() => server.stop())
  const instance = async () => (await call(`${server.url}/plan`)).body.instances[0]
  const { pid } = await instance()
  process.kill(pid, 'SIGSTOP')
  // there is no row 99, so each of the others has to run alone
  const [leaving, , staying] = await Promise.all(
    ['1', '99', '2'].map((body) =>
      openConnection(
        server.url,
        head('/predictions/table', `content-length: ${body.length}`, 'connection: close') + body,
      ),
    ),
  )
  await waitFor('a run', instance, ({ mode }) => mode === 'busy')
  leaving!.socket.destroy()
  await leaving!.answer
  // answered only after the end of the other connection has been noticed
  await call(`${server.url}/ping`)
  process.kill(pid, 'SIGCONT')
  expect(await staying!.answer).toContain('{"predictions":[2,20]}')
  const [stats] = (await call(`${server.url}/v2/models/table/stats`)).body.model_stats
  expect([stats.execution_count, stats.dropped.clientGone]).toEqual([1, 1])
})
