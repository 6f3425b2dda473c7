import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../../runtime/logger.ts'
import { waitFor } from '../../../runtime/testing/wait-for.ts'
import type { Turn } from '../../model/turn.ts'
import { WaitingClient } from '../../model/waiting-client.ts'
import type { AdapterModel, AdapterRequest } from '../adapter.ts'
import { IsolatedAdapter } from './isolated-adapter.ts'
import { JobQueue } from './job-queue.ts'

/** Records for whom it works. A request called `gate` blocks the process until it is opened; `stuck` never finishes. */
const source = `
import { appendFileSync, existsSync } from 'node:fs'
const folder = new URL('.', import.meta.url)
const pause = new Int32Array(new SharedArrayBuffer(4))
export async function toTensors({ path }) {
  appendFileSync(new URL('order', folder), path + ' ')
  while (path === 'gate' && !existsSync(new URL('open', folder))) Atomics.wait(pause, 0, 0, 5)
  if (path === 'stuck') await new Promise(() => {})
  return {}
}
export const toResponse = () => ({})
`
const model: AdapterModel = {
  name: 'm',
  version: '1',
  labels: undefined,
  path: 'm.onnx',
  runsAlone: false,
  inputs: [],
  outputs: [],
  batch: { kind: 'none' },
}
const request = (path: string): AdapterRequest => ({
  method: 'POST',
  path,
  headers: {},
  body: Buffer.from('x'),
  json() {},
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-turns-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})
const order = () =>
  existsSync(join(folder, 'order')) ? readFileSync(join(folder, 'order'), 'utf8').trim().split(' ') : []
const begun = (name: string) => waitFor(`${name} to begin`, order, (names) => names.includes(name))
const open = () => writeFileSync(join(folder, 'open'), '')

async function start(callsMax: number) {
  const file = join(folder, 'adapter.mjs')
  writeFileSync(file, source)
  const adapter = await IsolatedAdapter.start({
    isUnchanged: () => true,
    title: 'the adapter',
    setup: { kind: 'module', file, model },
    callsMax,
    startTimeoutMs: 60_000,
    callTimeoutMs: 60_000,
    logger: createLogger('test', 'silent'),
  })
  onTestFinished(() => adapter.stop())
  /** Its name, or the code of its error. */
  return (name: string, turn: Partial<Turn> = {}): Promise<string> =>
    adapter.toTensors(request(name), { shadow: false, client: new WaitingClient(), waitMsMax: 60_000, ...turn }).then(
      () => name,
      ({ code }) => code,
    )
}

test('live requests start before mirrored ones that came earlier', async () => {
  const ask = await start(10)
  const asked = [ask('gate', { shadow: true })]
  await begun('gate')
  asked.push(ask('s1', { shadow: true }), ask('s2', { shadow: true }), ask('l1'), ask('l2'))
  // they are sent in this turn of the event loop, but not immediately
  await new Promise((resolve) => setImmediate(resolve))
  open()
  expect(await Promise.all(asked)).toEqual(['gate', 's1', 's2', 'l1', 'l2'])
  expect(order()).toEqual(['gate', 'l1', 'l2', 's1', 's2'])
})

test('a request whose client has left, or that has waited too long, is not started', async () => {
  const ask = await start(10)
  const gate = ask('gate')
  await begun('gate')
  const client = new WaitingClient()
  const gone = ask('gone', { client })
  const late = ask('late', { waitMsMax: 1 })
  const patient = ask('patient')
  client.leave()
  expect(await ask('absent', { client })).toBe('CLIENT_GONE')
  // timers fire in order, so the late one's has fired
  await new Promise((resolve) => setTimeout(resolve, 2))
  open()
  expect(await Promise.all([gate, gone, late, patient])).toEqual(['gate', 'CLIENT_GONE', 'QUEUE_TIMEOUT', 'patient'])
  expect(order()).toEqual(['gate', 'patient'])
})

test('a request whose call has timed out before it could begin is not started', async () => {
  const ask = await start(10)
  const gate = ask('gate')
  await begun('gate')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const late = ask('late', { waitMsMax: 120_000 })
  // it is sent in this turn of the event loop, but not immediately
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(60_000)
  expect(await late).toBe('ADAPTER_FAILED')
  const patient = ask('patient')
  open()
  expect(await Promise.all([gate, patient])).toEqual(['gate', 'patient'])
  expect(order()).toEqual(['gate', 'patient'])
})

test('when all places are taken, a live request displaces a mirrored one', async () => {
  const ask = await start(2)
  const shadows = [ask('stuck', { shadow: true }), ask('stuck', { shadow: true })]
  await begun('stuck')
  expect(await ask('shadow', { shadow: true })).toBe('QUEUE_FULL')
  expect(await ask('live')).toBe('live')
  expect(await shadows[1]).toBe('QUEUE_FULL')
  const live = [ask('stuck'), ask('stuck')]
  expect(await shadows[0]).toBe('QUEUE_FULL')
  expect(await ask('another')).toBe('QUEUE_FULL')
  void live
})

test('no more requests run at once than allowed', async () => {
  const jobs = new JobQueue(2)
  const ends: (() => void)[] = []
  const started: number[] = []
  const run = (id: number) => () => {
    started.push(id)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  for (const id of [1, 2, 3]) jobs.add(id, { shadow: false }, run(id))
  await waitFor(
    'the second job',
    () => started,
    ({ length }) => length === 2,
  )
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual([1, 2])
  expect([jobs.withdraw(2), jobs.withdraw(4)]).toEqual([false, false])
  ends[0]!()
  await waitFor(
    'the third job',
    () => started,
    ({ length }) => length === 3,
  )
})
