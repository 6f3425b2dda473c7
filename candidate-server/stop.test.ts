import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call, startTestServer, testModel, until } from './testing/start-test-server.ts'

/** Works on a request, and on its response, for as long as a file says so. */
const source = `
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
const folder = new URL('.', import.meta.url)
async function work(name) {
  writeFileSync(new URL(name + '-begun', folder), '')
  while (!existsSync(new URL(name + '-over', folder))) await wait(5)
}
export async function toTensors() {
  await work('tensors')
  return { index: { shape: [1], data: [3] } }
}
export async function toResponse({ row }) {
  await work('response')
  return [...row.data]
}
`

async function start(limits = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-stop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const adapter = join(folder, 'adapter.mjs')
  writeFileSync(adapter, source)
  const server = await startTestServer({ limits, models: [{ name: 'table', path: testModel('table'), adapter }] })
  onTestFinished(() => server.stop())
  return {
    server,
    ask: () => call(`${server.url}/predictions/table`, 'x'),
    isThere: (name: string) =>
      until(
        () => existsSync(join(folder, name)),
        (there) => there,
      ),
    write: (name: string) => writeFileSync(join(folder, name), ''),
  }
}
const stopping = { status: 503, body: { message: 'the server is stopping' } }

test('what has come whole is answered before the server ends, wherever it is: in its adapter before the run, or after it', async () => {
  const { server, ask, isThere, write } = await start()
  const asked = ask()
  await isThere('tensors-begun')
  let isOver = false
  const stopped = server.stop().finally(() => {
    isOver = true
  })
  expect(await ask()).toMatchObject(stopping)
  write('tensors-over')
  await isThere('response-begun')
  expect(isOver).toBe(false)
  write('response-over')
  expect(await asked).toMatchObject({ status: 200, body: [3, 30] })
  await stopped
})

test('what an adapter has not come to the end of by drainTimeout is told that the server is stopping', async () => {
  const { server, ask, isThere } = await start({ drainTimeout: '100ms' })
  const asked = ask()
  await isThere('tensors-begun')
  await server.stop()
  expect(await asked).toMatchObject(stopping)
})
