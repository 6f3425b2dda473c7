import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import type { CandidateServer } from '../server.ts'
import { call, startTestServer, testConfig, testModel } from '../testing/start-test-server.ts'
import type { AdapterModel } from './adapter.ts'
import { createAdapter } from './create-adapter.ts'
import { AdapterCalls, pingTimeoutMs, type WorkerOptions } from './worker/adapter-calls.ts'

const adapterSource = `
import { writeFileSync } from 'node:fs'
const kept = Float32Array.of(1, 2)
const tensors = {
  // what a module keeps for the next request must not be taken from it
  kept: () => ({ a: { shape: [1, 2], data: kept }, b: { shape: [1, 2], data: kept } }),
  late: async () => { await new Promise((resolve) => setTimeout(resolve, 20)); return tensors.kept() },
  stuck: () => new Promise(() => {}),
  mark: () => { writeFileSync(new URL('mark', import.meta.url), ''); return {} },
  busy: () => { const end = Date.now() + 1500; while (Date.now() < end); return tensors.kept() },
  endless: () => { for (;;); },
  timer: () => { setTimeout(() => { throw new Error('a timer went off') }); return new Promise(() => {}) },
  rejection: () => { Promise.reject(new Error('nobody caught it')); return new Promise(() => {}) },
  exit: () => process.exit(3),
  full: () => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)) },
  broken: () => { throw new Error('no such luck') },
  nothing: () => { throw null },
  uncloneable: () => { throw new Error('no such luck', { cause: { call() {} } }) },
  teapot: () => { throw Object.assign(new Error('short and stout'), { status: 418, body: { detail: 'tea' } }) },
  unsayable: () => { throw Object.assign(new Error('short'), { status: 418, body: { big: 1n, call() {} } }) },
  unknown: () => ({ c: { shape: [1], data: [1] } }),
  none: () => undefined,
  mistyped: () => ({ a: { type: 'toString', shape: [1, 2], data: [1, 2] } }),
  misshapen: () => ({ a: { shape: [2, undefined], data: [1, 2] } }),
  shapeless: () => ({ a: { data: [1, 2] }, b: { data: [1, 2] } }),
}
const asides = new WeakMap()
export function toTensors(request, model) {
  asides.set(request, 'put aside')
  const mode = request.headers['x-mode']
  if (mode) return tensors[mode]()
  const { left, right } = request.json()
  if (left === undefined) throw Object.assign(new Error('left: expected two numbers'), { status: 422 })
  return { a: { shape: [1, 2], data: left }, b: { shape: [1, 2], data: Float32Array.from(right) } }
}
export async function toResponse(outputs, model, request) {
  const [x, y] = outputs.total.data
  if (x === 91) return fetch(request.headers['x-fetch'])
  if (x === 92) return new Response('as fetched', { headers: { 'transfer-encoding': 'chunked', 'content-length': '99', connection: 'close' } })
  if (x === 93) {
    const headers = [['set-cookie', 'a=1; Path=/'], ['set-cookie', 'b=2'], ['x-two', '1'], ['x-two', '2']]
    return new Response('', { headers })
  }
  if (x === 94) return { path: request.path, left: request.json().left, aside: asides.get(request) }
  if (x === 95) return new Response(null, { status: 204 })
  if (x === 96) return { big: 1n }
  if (x === 97) return Response.error()
  if (x === 98) return undefined
  if (x === 99) return new Response('ninety-nine', { status: 203, headers: { 'content-type': 'text/plain' } })
  return { app: model.name, x, y }
}
`

let server: CandidateServer
let folder: string
const file = (name: string, source: string) => {
  writeFileSync(join(folder, name), source)
  return join(folder, name)
}
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-adapter-'))
  server = await startTestServer({
    limits: { runTimeout: '3s' },
    models: [
      {
        name: 'app',
        path: testModel('sum'),
        adapter: file('my-adapter.mjs', adapterSource),
        paths: ['/api/add', '/api/sum/', '/api/größe'],
      },
      { name: 'other', path: testModel('sum') },
    ],
  })
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})
const add = (body: unknown, headers?: Record<string, string>) => call(`${server.url}/api/add`, body, headers)
const inMode = (mode: string) => add({}, { 'x-mode': mode })
/** A header that our own parser of plain requests leaves to Node's server. */
const ofNodesServer = { te: 'trailers' }
const both = { left: [1, 2], right: [3, 4] }
const sum = { status: 200, body: { app: 'app', x: 4, y: 6 } }

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
/** A module's process without a server. */
const callsOf = (file: string, own: Partial<WorkerOptions>) =>
  new AdapterCalls({
    title: 'adapter',
    setup: { kind: 'module', file, model },
    startTimeoutMs: 60_000,
    callTimeoutMs: 60_000,
    ...own,
  })

describe('a module', () => {
  test('serves its own API at its own path, and at the model’s path', async () => {
    expect(await add(both)).toMatchObject(sum)
    expect(await call(`${server.url}/predictions/app`, both)).toMatchObject(sum)
    expect(await inMode('late')).toMatchObject({ status: 200, body: { x: 2, y: 4 } })
  })

  test('may reuse for the next request what it has returned', async () => {
    for (let i = 0; i < 3; i++) expect(await inMode('kept')).toMatchObject({ status: 200, body: { x: 2, y: 4 } })
  })

  test('receives the very same request object for its response', async () => {
    expect((await call(`${server.url}/api/add?q=1`, { left: [94, 0], right: [0, 0] })).body).toEqual({
      path: '/api/add?q=1',
      left: [94, 0],
      aside: 'put aside',
    })
  })

  test('is reached at its paths as they are written, even with a trailing slash', async () => {
    const askedAt = async (path: string) => (await call(`${server.url}${path}`, both)).status
    expect(await Promise.all(['/api/sum/', '/api/add', '/api/add/', '/api/größe'].map(askedAt))).toEqual([
      200, 200, 200, 200,
    ])
    expect(await askedAt('/api/sum')).toBe(404)
  })

  test('may answer with any type and status', async () => {
    const { status, body, headers } = await add({ left: [99, 0], right: [0, 0] })
    expect([status, String(body), headers.get('content-type')]).toEqual([203, 'ninety-nine', 'text/plain'])
    expect(headers.get('x-model-name')).toBe('app')
    const { headers: many } = await add({ left: [93, 0], right: [0, 0] })
    expect([many.getSetCookie(), many.get('x-two')]).toEqual([['a=1; Path=/', 'b=2'], '1, 2'])
    for (const headers of [{}, ofNodesServer]) {
      const empty = await add({ left: [95, 0], right: [0, 0] }, headers)
      expect([empty.status, empty.body.length, empty.headers.get('content-length')]).toEqual([204, 0, null])
    }
  })

  test('may answer with a response it has fetched, whose connection headers are dropped', async () => {
    for (const headers of [{}, ofNodesServer]) {
      const answer = await add({ left: [91, 0], right: [1, 0] }, headers)
      expect([answer.status, String(answer.body)]).toEqual([200, 'as fetched'])
      expect([answer.headers.get('connection'), answer.headers.get('content-length')]).toEqual(['keep-alive', '10'])
    }
  })

  test('may answer with what it fetches, which is packed only on the way to it', async () => {
    const packed = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(gzipSync('unpacked')),
    ).listen(0, '127.0.0.1')
    onTestFinished(() => void packed.close())
    await once(packed, 'listening')
    const { port } = packed.address() as AddressInfo
    const { status, body } = await add({ left: [91, 0], right: [0, 0] }, { 'x-fetch': `http://127.0.0.1:${port}/` })
    expect([status, String(body)]).toEqual([200, 'unpacked'])
  })

  test('refuses with the client’s errors: their status and, on its own path, its own body', async () => {
    expect(await add({})).toMatchObject({
      status: 422,
      body: { code: 'BAD_INPUT', message: 'left: expected two numbers' },
    })
    expect(await add('{', { 'content-type': 'application/json' })).toMatchObject({
      status: 400,
      body: { code: 'BAD_JSON' },
    })
    expect(await inMode('teapot')).toMatchObject({ status: 418, body: { detail: 'tea' } })
    expect(await call(`${server.url}/predictions/app`, {}, { 'x-mode': 'teapot' })).toMatchObject({
      status: 418,
      body: { code: 418, message: 'short and stout' },
    })
  })

  test.each<[string, RegExp]>([
    ['broken', /adapter my-adapter\.mjs: toTensors failed: no such luck/],
    ['nothing', /toTensors failed: null/],
    ['uncloneable', /toTensors failed: no such luck/],
    ['unsayable', /toTensors failed: short, and its body is no JSON/],
    ['none', /expected {INPUT: {shape, data}}, got nothing/],
    ['unknown', /the model has no input c; it takes a, b/],
    ['mistyped', /a: expected a type such as float32, got "toString"/],
    ['misshapen', /a: expected a shape such as \[1, 3, 224, 224\], got \[2, nothing\]/],
    ['shapeless', /a: expected a shape such as \[1, 3, 224, 224\], got nothing/],
  ])('that fails (%s) gives a 500 with its name, and goes on', async (mode, message) => {
    expect(await inMode(mode)).toMatchObject({
      status: 500,
      body: { code: 'ADAPTER_FAILED', message: expect.stringMatching(message) },
    })
    expect(await add(both)).toMatchObject(sum)
  })

  test.each<[number, RegExp]>([
    [96, /toResponse failed: .*BigInt/],
    [97, /it gave Response\.error\(\)/],
    [98, /it gave nothing; return a JSON value or a Response/],
  ])('whose answer cannot be written (%i) gives a 500', async (left, message) => {
    expect(await add({ left: [left, 0], right: [0, 0] })).toMatchObject({
      status: 500,
      body: { code: 'ADAPTER_FAILED', message: expect.stringMatching(message) },
    })
  })

  test('has its tensors checked', async () => {
    expect(await add({ left: [1, 2, 3], right: [1, 2] })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('expected 2 elements') },
    })
    const message = /b: expected 2 elements for the shape \[1, 2\] in an array or Float32Array, got 3 in a Float32Array/
    expect(await add({ left: [1, 2], right: [1, 2, 3] })).toMatchObject({
      status: 500,
      body: { message: expect.stringMatching(message) },
    })
  })
})

describe('a module that misbehaves', () => {
  const other = () => call(`${server.url}/predictions/other`, { a: [1, 2], b: [3, 4] })

  test('does not hold up other models while it computes', async () => {
    const order: string[] = []
    const busy = inMode('busy')
    void busy.then(() => order.push('busy'))
    for (let i = 0; i < 3; i++) {
      expect((await other()).body).toEqual({ predictions: [4, 6] })
      order.push('other')
    }
    expect((await busy).status).toBe(200)
    expect(order).toEqual(['other', 'other', 'other', 'busy'])
  })

  test.each<[string, RegExp]>([
    ['timer', /ended: .*a timer went off/],
    ['rejection', /ended: .*nobody caught it/],
    ['exit', /ended: it ended with status 3/],
  ])(
    'outside its functions (%s) ends only itself: its requests fail, others wait for its restart',
    async (mode, message) => {
      const failed = inMode(mode)
      expect((await other()).body).toEqual({ predictions: [4, 6] })
      expect(await failed).toMatchObject({
        status: 500,
        body: { code: 'ADAPTER_FAILED', message: expect.stringMatching(message) },
      })
      // the log says where it came from
      expect((await failed).body.message).not.toContain('module.ts:')
      expect(await add(both)).toMatchObject(sum)
      expect((await other()).status).toBe(200)
    },
  )

  test('by filling its heap ends only its own process', async () => {
    const calls = callsOf(join(folder, 'my-adapter.mjs'), { heapMiBMax: 64 })
    await calls.loaded
    const request = { method: 'POST', path: '/', headers: { 'x-mode': 'full' }, body: new Uint8Array() }
    await expect(calls.call((id) => ({ kind: 'toTensors', id, request, shadow: false }))).rejects.toThrow(
      /ended with SIG.*its objects may have taken more than 64 MiB/,
    )
  })

  test('by waiting for ever fails that call alone; an endless loop ends its process', async () => {
    const calls = callsOf(join(folder, 'my-adapter.mjs'), {})
    onTestFinished(() => calls.stop())
    await calls.loaded
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const ask = (mode: string) => {
      const request = { method: 'POST', path: '/', headers: { 'x-mode': mode }, body: new Uint8Array() }
      return calls.call((id) => ({ kind: 'toTensors', id, request, shadow: false }))
    }
    const late = expect.stringContaining('longer than limits.runTimeout, 60000 ms')
    const stuck = [ask('stuck'), ask('stuck')]
    const failed = Promise.allSettled(stuck)
    expect((await ask('mark')).kind).toBe('tensors')
    // timers come before answers that have arrived, immediates after them: from here on, none is heard until `marked`
    await new Promise(setImmediate)
    vi.advanceTimersByTime(60_000)
    expect(await failed).toMatchObject([{ reason: { message: late } }, { reason: { message: late } }])
    // it has answered that it still does, and is left in peace even if this process is too busy to hear that in time
    rmSync(join(folder, 'mark'))
    const marked = ask('mark')
    const pause = new Int32Array(new SharedArrayBuffer(4))
    while (!existsSync(join(folder, 'mark'))) Atomics.wait(pause, 0, 0, 5)
    vi.advanceTimersByTime(pingTimeoutMs)
    expect([(await marked).kind, (await ask('mark')).kind]).toEqual(['tensors', 'tensors'])
    const endless = Promise.allSettled([ask('endless')])
    vi.advanceTimersByTime(60_000)
    expect(await endless).toMatchObject([{ reason: { message: late } }])
    vi.advanceTimersByTime(pingTimeoutMs)
    expect(await calls.ended).toEqual(late)
  })

  test('by waiting for ever takes no more requests than the limit, and by an endless loop is restarted', async () => {
    const narrow = await startTestServer({
      queue: { max: 3, timeout: '60s' },
      limits: { runTimeout: '3s' },
      models: [
        { name: 'app', path: testModel('sum'), adapter: join(folder, 'my-adapter.mjs') },
        { name: 'other', path: testModel('sum') },
      ],
    })
    onTestFinished(() => narrow.stop())
    const ask = (mode?: string) =>
      call(`${narrow.url}/predictions/app`, mode ? {} : both, mode ? { 'x-mode': mode } : {})
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => ask('stuck')))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([500, 500, 500, 503])
    const endless = ask('endless')
    expect((await call(`${narrow.url}/predictions/other`, { a: [1, 2], b: [3, 4] })).body).toEqual({
      predictions: [4, 6],
    })
    expect(await endless).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining('longer than limits.runTimeout, 3000 ms') },
    })
    await waitFor('an answer 200', ask, ({ status }) => status === 200)
  })
})

describe('a module is refused at the start', () => {
  const start = (adapter: string) => startTestServer({ models: [{ name: 'm', path: testModel('sum'), adapter }] })
  test.each<[string, () => string, RegExp]>([
    [
      'that is not there',
      () => './nowhere.ts',
      /^model m: no file can be read at \/.*\/nowhere\.ts; check the model's adapter: in the config$/,
    ],
    [
      'that imports what is not installed beside it',
      () => file('lacking.mjs', "import 'no-such-package'"),
      /Cannot find package 'no-such-package'.*install it in the folder of the module/,
    ],
    [
      'that requires what is not installed beside it',
      () => file('lacking.js', "require('no-such-package')"),
      /Cannot find module 'no-such-package'.*install it in the folder of the module/s,
    ],
    ['that does not parse', () => file('torn.mjs', 'export const {'), /torn\.mjs cannot be loaded/],
    [
      'that throws as it is loaded',
      () => file('thrown.mjs', 'throw new Error("no weights")'),
      /cannot be loaded: no weights/,
    ],
    [
      'that lacks a function',
      () => file('half.mjs', 'export const toTensors = () => ({}), other = 1'),
      /expected it to export the functions .* toResponse is missing among other, toTensors/,
    ],
    ['that exports nothing', () => file('empty.mjs', ''), /toTensors and toResponse are missing among no exports/],
    [
      'that ends the process',
      () => file('exit.mjs', 'process.exit(1)'),
      /ended while it was loaded: it ended with status 1/,
    ],
  ])('%s', async (_, adapter, message) => {
    await expect(start(adapter())).rejects.toThrow(message)
  })

  test('that never finishes loading', async () => {
    const endless = file(
      'endless.mjs',
      `import { writeFileSync } from 'node:fs'
       writeFileSync(new URL('endless-begun', import.meta.url), '')
       await new Promise((resolve) => setTimeout(resolve, 1e6))
       export default {}`,
    )
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { loaded } = callsOf(endless, { startTimeoutMs: 60_000 })
    while (!existsSync(join(folder, 'endless-begun'))) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(60_000)
    await expect(loaded).rejects.toThrow(/was not loaded within limits\.startTimeout, 60000 ms/)
  })

  test('that takes longer to load than the config allows', async () => {
    const [config] = testConfig({ models: [{ name: 'm', path: testModel('sum'), adapter: './any.mjs' }] }).models
    const created = createAdapter(
      config!,
      model,
      { kind: 'done', ms: 0, shapes: {} },
      {
        limits: { imagePixelsMax: 1, startTimeout: 1, runTimeout: 60_000 },
        queue: { max: 1 },
        resolvePath: () => file('any.mjs', ''),
        isUnchanged: () => true,
        logger: createLogger('test', 'silent'),
      },
    )
    await expect(created).rejects.toThrow(/adapter \.\/any\.mjs of m was not loaded within limits\.startTimeout, 1 ms/)
  })
})

test('a module may export its functions as one default object, and be TypeScript', async () => {
  const source = `
    const half: (x: number) => number = (x) => x / 2
    export default {
      name: 'halves',
      toTensors(request: { json(): any }) { return { a: { shape: [1, 2], data: request.json().map(half) }, b: { shape: [1, 2], data: [0, 0] } } },
      toResponse(outputs: any) { return { by: this.name, halves: [...outputs.total.data] } },
    }`
  const halves = await startTestServer({
    models: [{ name: 'm', path: testModel('sum'), adapter: file('halves.ts', source) }],
  })
  const { body } = await call(`${halves.url}/predictions/m`, [3, 5])
  await halves.stop()
  expect(body).toEqual({ by: 'halves', halves: [1.5, 2.5] })
})
