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

test('what has come whole is answered before the server ends, wherever it is: in its adapter before the run, or after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-stop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const adapter = join(folder, 'adapter.mjs')
  writeFileSync(adapter, source)
  const server = await startTestServer({ models: [{ name: 'table', path: testModel('table'), adapter }] })
  onTestFinished(() => server.stop())
  const isThere = (name: string) =>
    until(
      () => existsSync(join(folder, name)),
      (there) => there,
    )
  const asked = call(`${server.url}/predictions/table`, 'x')
  await isThere('tensors-begun')
  let isOver = false
  const stopped = server.stop().finally(() => {
    isOver = true
  })
  expect(await call(`${server.url}/predictions/table`, 'x')).toMatchObject({
    status: 503,
    body: { message: 'the server is stopping' },
  })
  writeFileSync(join(folder, 'tensors-over'), '')
  await isThere('response-begun')
  expect(isOver).toBe(false)
  writeFileSync(join(folder, 'response-over'), '')
  expect(await asked).toMatchObject({ status: 200, body: [3, 30] })
  await stopped
})
