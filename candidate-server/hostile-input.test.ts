import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { OffThread } from './http/off-thread.ts'
import type { CandidateServer } from './server.ts'
import { head, openConnection } from './testing/raw-connection.ts'
import { call, demoModel, startTestServer, testModel } from './testing/start-test-server.ts'

const MiB = 1024 * 1024

let server: CandidateServer
let small: CandidateServer
/** As small, for bodies that must stay in place as long as a busy machine takes to notice them. */
let patient: CandidateServer
beforeAll(async () => {
  const models = [
    { name: 'diabetes', path: demoModel('diabetes-student') },
    { name: 'sum', path: testModel('sum') },
    { name: 'echo', path: testModel('echo-types') },
  ]
  // good requests may wait for a long run, on a busy machine for longer than the default
  const queue = { timeout: '50s' }
  server = await startTestServer({ queue, limits: { rowsMax: 1_000_000 }, models })
  small = await startTestServer({
    queue,
    limits: { bodyMax: '256KiB', bodiesMax: '1MiB', bodyTimeout: '1500ms' },
    models: [...models.slice(0, 1), { name: 'large', path: testModel('large-output') }],
  })
  patient = await startTestServer({ limits: { bodyMax: '256KiB', bodiesMax: '1MiB' }, models: models.slice(0, 1) })
})
afterAll(async () => {
  await server?.stop()
  await small?.stop()
  await patient?.stop()
})

const path = '/v2/models/diabetes/infer'
const zeros = new Array(10).fill(0)
const ok = { name: 'features', datatype: 'FP32', shape: [1, 10], data: zeros }
const good = JSON.stringify({ inputs: [ok] })
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** Sends good requests while something hostile happens, and checks that all are answered. */
async function whileOthersAreServed<Value>(at: CandidateServer, hostile: () => Promise<Value>): Promise<Value> {
  let over = false
  let answered = 0
  const others = (async () => {
    do {
      expect(await call(at.url + path, good)).toMatchObject({ status: 200 })
      answered++
    } while (!over)
  })()
  try {
    return await hostile()
  } finally {
    over = true
    await others
    expect(answered).toBeGreaterThan(0)
  }
}

describe('malformed requests are refused with what was expected', () => {
  // below the size from which a body's nesting is checked before parsing
  const deepText = deep(30_000)
  const withInput = (text: string) => `{"inputs":[{"name":"features","datatype":"FP32","shape":[1,10],${text}}]}`
  test.each<[string, string, RegExp]>([
    ['deep nesting alone', deepText, /the body: expected a JSON object/],
    ['deep nesting that never ends', '['.repeat(60_000), /expected a JSON body/],
    ['objects nested deeply', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`, /inputs: expected an array/],
    ['nesting of 100,000 levels', withInput(`"data":${deep(100_000)}`), /expected JSON nested at most 64 deep/],
    ['nesting of millions that never ends', '['.repeat(8 * MiB), /expected JSON nested at most 64 deep/],
    ['objects of 100,000 levels', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /nested at most 64 deep/],
    [
      'millions of arrays',
      withInput(`"data":[${'[],'.repeat(2_000_000)}[]]`),
      /at most 1000000 arrays and objects, got 200000\d; send flat data/,
    ],
    ['deeply nested data', withInput(`"data":${deepText}`), /nested at most 32 deep/],
    [
      'a deeply nested shape',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":${deepText}}]}`,
      /an array at dimension 0/,
    ],
    ['a deeply nested name', `{"inputs":[{"name":${deepText}}]}`, /name: expected a string, got an array/],
    [
      'a deeply nested type',
      `{"inputs":[{"name":"x","datatype":${deepText}}]}`,
      /datatype: expected one of .* got an array/,
    ],
    ['a deeply nested id', `{"id":${deepText}}`, /id: expected a string, got an array/],
    [
      'deeply nested parameters',
      `{"parameters":{"a":${deepText}},"inputs":[]}`,
      /parameters.a: expected a string, a number or a boolean/,
    ],
    [
      'a deeply nested output',
      `{"inputs":[${JSON.stringify(ok)}],"outputs":[{"name":${deepText}}]}`,
      /outputs\[0\].name: expected one of progression, got an array/,
    ],
    [
      'a deeply nested element',
      withInput(`"data":[1,2,3,4,5,6,7,8,9,${deepText}]`),
      /finite numbers, got an array at element 9/,
    ],
    [
      '1e9 elements',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":[1000000000,10],"data":[0]}]}`,
      /expected 10000000000 elements .* got 1/,
    ],
    [
      'a product beyond all numbers',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":[${new Array(32).fill(9e15)}],"data":[0]}]}`,
      /expected the shape \[any, 10\], got \[9000000000000000, /,
    ],
    [
      'too many dimensions',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":[${new Array(100_000).fill(1)}],"data":[0]}]}`,
      /at most 32 dimensions, got 100000/,
    ],
    [
      'half a row',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":[0.5,20],"data":[0]}]}`,
      /expected whole numbers from 0, got 0.5 at dimension 0/,
    ],
    [
      'a dimension as text',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":["1",10],"data":[0]}]}`,
      /got "1" at dimension 0/,
    ],
    ['NaN', withInput(`"data":[NaN,0,0,0,0,0,0,0,0,0]`), /JSON has no NaN or infinity: send them as binary data/],
    ['-Infinity', withInput(`"data":[-Infinity,0,0,0,0,0,0,0,0,0]`), /expected a JSON body/],
    ['no data', withInput(`"parameters":{}`), /data: expected an array of the elements.* got nothing; or binary data/],
    [
      'data and its binary size',
      withInput(`"data":[0],"parameters":{"binary_data_size":0}`),
      /either data or binary_data_size/,
    ],
    [
      'a name that every object has',
      `{"inputs":[{"name":"constructor","datatype":"FP32","shape":[1],"data":[0]}]}`,
      /features is missing/,
    ],
    [
      'the name of all prototypes',
      `{"inputs":[${JSON.stringify(ok)},{"name":"__proto__","datatype":"FP32","shape":[1],"data":[0]}]}`,
      /no input __proto__/,
    ],
    [
      'an output twice',
      `{"inputs":[${JSON.stringify(ok)}],"outputs":[{"name":"progression"},{"name":"progression"}]}`,
      /progression is there twice/,
    ],
    [
      'text where true or false belongs',
      `{"inputs":[${JSON.stringify(ok)}],"parameters":{"binary_data_output":"yes"}}`,
      /binary_data_output: expected true or false, got "yes"/,
    ],
    [
      'less than no classes',
      `{"inputs":[${JSON.stringify(ok)}],"outputs":[{"name":"progression","parameters":{"classification":-1}}]}`,
      /classification: expected a whole number from 0, got -1/,
    ],
  ])('%s', async (_, body, message) => {
    const answer = await call(server.url + path, body)
    expect(answer.body).toEqual({ error: expect.stringMatching(message) })
    expect(answer.status).toBe(400)
    expect(answer.body.error.length).toBeLessThan(1000)
  })

  test.each<[string, string, RegExp]>([
    ['deep nesting', deepText, /nested at most 32 deep/],
    ['deep nesting by name', `{"features":${deepText}}`, /nested at most 32 deep/],
    ['nesting of millions', '['.repeat(8 * MiB), /nested at most 64 deep/],
    [
      'objects nested deeply',
      `[${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)},0,0,0,0,0,0,0,0,0]`,
      /finite numbers, got an object/,
    ],
  ])('by the tensor adapter: %s', async (_, body, message) => {
    const answer = await call(`${server.url}/predictions/diabetes`, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ code: 400, type: 'BadRequestException', message: expect.stringMatching(message) })
  })
})

describe('wrong sizes', () => {
  const binary = (size: unknown) =>
    JSON.stringify({ inputs: [{ ...ok, data: undefined, parameters: { binary_data_size: size } }] })
  const send = (json: string, data: Buffer, length: string = String(Buffer.byteLength(json))) =>
    call(server.url + path, Buffer.concat([Buffer.from(json), data]), { 'inference-header-content-length': length })
  const forty = Buffer.alloc(40)

  test('a correct one is accepted', async () => {
    expect((await send(binary(40), forty)).status).toBe(200)
  })

  test.each<[string, unknown, Buffer, RegExp]>([
    ['more than there is', 40, Buffer.alloc(39), /at most the 39 bytes of binary data that are left, got 40/],
    ['less than there is', 40, Buffer.alloc(41), /expected 40 bytes of binary data after the JSON.* got 41/],
    ['less than the shape takes', 36, Buffer.alloc(36), /features: expected 40 bytes for \[1, 10\], got 36/],
    ['a negative size', -40, forty, /binary_data_size: expected a whole number from 0, got -40/],
    ['half a byte', 39.5, forty, /whole number from 0, got 39.5/],
    ['a size as text', '40', forty, /whole number from 0, got "40"/],
    ['a size beyond all memory', 2 ** 60, forty, /whole number from 0/],
    ['no size', undefined, forty, /or binary data, its size in parameters.binary_data_size/],
  ])('binary_data_size: %s', async (_, size, data, message) => {
    expect(await send(binary(size), data)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(message) },
    })
  })

  test.each<[string, string, RegExp]>([
    ['beyond the body', '100000', /at most the body's \d+ bytes, got "100000"/],
    ['negative', '-1', /got "-1"/],
    ['a fraction', '12.5', /got "12.5"/],
    ['not a number', 'all', /got "all"/],
    ['twice', '1, 2', /got "1, 2"/],
    ['beyond all numbers', '9'.repeat(400), /got "9+"…/],
    ['in the middle of the JSON', '20', /expected a JSON body/],
    ['in the middle of the data', '110', /expected a JSON body/],
  ])('Inference-Header-Content-Length: %s', async (_, length, message) => {
    expect(await send(binary(40), forty, length)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(message) },
    })
  })

  const binaryTypes = { bool: ['BOOL', [0, 1]], bytes: ['BYTES', [1, 0, 0, 0, 65, 0, 0, 0, 0]] } as const
  const sendTypes = (own: Record<string, readonly number[]>) => {
    const numbers = ['FP16', 'FP32', 'FP64', 'INT8', 'UINT8', 'INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'UINT64']
    const shape = [1, 2]
    const given = numbers.map((datatype) => ({ name: datatype.toLowerCase(), datatype, shape, data: [0, 0] }))
    const parts = Object.entries(binaryTypes).map(([name, [datatype, truth]]) => ({
      head: { name, datatype, shape },
      bytes: Buffer.from(own[name] ?? truth),
    }))
    const heads = parts.map(({ head, bytes }) => ({ ...head, parameters: { binary_data_size: bytes.length } }))
    const json = JSON.stringify({ inputs: [...given, ...heads] })
    return call(
      `${server.url}/v2/models/echo/infer`,
      Buffer.concat([Buffer.from(json), ...parts.map((p) => p.bytes)]),
      {
        'inference-header-content-length': String(json.length),
      },
    )
  }

  test('correct ones of texts and booleans are accepted', async () => {
    const { status, body } = await sendTypes({})
    expect(status).toBe(200)
    expect(body.outputs).toContainEqual({ name: 'bool_out', datatype: 'BOOL', shape: [1, 2], data: [false, true] })
    expect(body.outputs).toContainEqual({ name: 'bytes_out', datatype: 'BYTES', shape: [1, 2], data: ['A', ''] })
  })

  test.each<[string, 'bool' | 'bytes', number[], RegExp]>([
    ['a length beyond all data', 'bytes', [255, 255, 255, 255, 65], /bytes: expected 2 texts, each after its length/],
    ['one text too few', 'bytes', [1, 0, 0, 0, 65], /bytes: expected 2 texts/],
    ['one text too many', 'bytes', new Array(12).fill(0), /bytes: expected 2 texts/],
    ['half a length', 'bytes', [0, 0, 0, 0, 0, 0], /bytes: expected 2 texts/],
    ['half a character', 'bytes', [1, 0, 0, 0, 0xc3, 0, 0, 0, 0], /bytes: expected UTF-8 without NUL/],
    ['a NUL', 'bytes', [1, 0, 0, 0, 0, 0, 0, 0, 0], /bytes: expected UTF-8 without NUL/],
    ['neither false nor true', 'bool', [1, 2], /bool: expected bytes of 0 or 1, got 2 at element 1/],
    ['one boolean too few', 'bool', [1], /bool: expected 2 bytes for \[1, 2\], got 1/],
  ])('binary texts and booleans: %s', async (_, name, bytes, message) => {
    expect(await sendTypes({ [name]: bytes })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(message) },
    })
  })
})

describe('uploads', () => {
  test('a slow one is ended at its deadline with a message', async () => {
    const answer = await whileOthersAreServed(small, async () => {
      const { socket, answer } = await openConnection(small.url, head(path, 'content-length: 1000'))
      const drip = setInterval(() => socket.write('['), 50)
      return answer.finally(() => clearInterval(drip))
    })
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(answer).toMatch(/expected the body within limits.bodyTimeout, 1500 ms; got \d+ of 1000/)
  })

  test('one that announces too much is refused before it arrives', async () => {
    const { answer } = await openConnection(small.url, head(path, 'content-length: 1000000000000'))
    expect(await answer).toMatch(/^HTTP\/1.1 413 [\s\S]*expected a body of at most 262144 bytes/)
  })

  test('an endless one is cut off, and its client can read why although it is still writing', async () => {
    const answer = await whileOthersAreServed(small, async () => {
      const { socket, answer } = await openConnection(small.url, head(path, 'transfer-encoding: chunked'))
      const chunk = `10000\r\n${' '.repeat(65536)}\r\n`
      socket.pause()
      for (let i = 0; i < 64 && socket.writable; i++) {
        await new Promise<void>((resolve) => socket.write(chunk, () => resolve()))
      }
      socket.resume()
      return answer
    })
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(64 * MiB))],
    ['deflate', deflateSync(Buffer.alloc(64 * MiB))],
    ['br', brotliCompressSync(Buffer.alloc(64 * MiB), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('a %s bomb is refused at the limit', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(256 * 1024)
    const before = process.memoryUsage().arrayBuffers
    const answer = await whileOthersAreServed(small, () =>
      call(small.url + path, bomb, { 'content-encoding': encoding }),
    )
    expect(answer).toMatchObject({ status: 413, body: { error: expect.stringContaining('262144 bytes') } })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MiB)
  })

  test('a body that does not match its encoding', async () => {
    const cut = gzipSync(good).subarray(0, -4)
    for (const [body, encoding] of [
      [cut, 'gzip'],
      [good, 'gzip'],
      [gzipSync(good), 'deflate'],
    ] as const) {
      const answer = await call(server.url + path, body, { 'content-encoding': encoding })
      expect(answer).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(`expected a body in ${encoding}`) },
      })
    }
  })

  test('all bodies together have a limit, and free it when their clients leave', async () => {
    const open = () => openConnection(patient.url, head(path, 'content-length: 262144') + ' '.repeat(260_000))
    const held = [await open(), await open(), await open(), await open()]
    const full = await openConnection(patient.url, head(path, 'content-length: 262144') + ' '.repeat(260_000))
    expect(await full.answer).toMatch(/^HTTP\/1.1 503 [\s\S]*limits.bodiesMax, 1048576 bytes; try again later/)
    for (const { socket } of held) socket.destroy()
    const isRoom = async () => (await call(patient.url + path, ' '.repeat(250_000) + good)).status
    await expect.poll(isRoom).toBe(200)
  })

  test('mirrored bodies leave room for live ones', async () => {
    const mirrored = { 'x-understudy-shadow': '1' }
    const begun = head(path, 'content-length: 262144', 'x-understudy-shadow: 1') + ' '.repeat(260_000)
    const body = ' '.repeat(250_000) + good
    const held: Awaited<ReturnType<typeof openConnection>>[] = []
    const withOneMore = async () => {
      held.push(await openConnection(patient.url, begun))
      // a request beside this one may itself find no room
      await wait(50)
      return (await call(patient.url + path, body, mirrored)).status
    }
    await expect.poll(withOneMore).toBe(503)
    expect((await call(patient.url + path, body)).status).toBe(200)
    for (const { socket } of held) socket.destroy()
    await expect.poll(async () => (await call(patient.url + path, body, mirrored)).status).toBe(200)
  })
})

describe('connections', () => {
  test.each<[string, string]>([
    ['before the body', head(path, 'content-length: 1000')],
    ['within the body', `${head(path, 'content-length: 1000')}{"inputs":`],
    ['within a chunk', `${head(path, 'transfer-encoding: chunked')}ffff\r\n{`],
    ['after the whole request', head(path, `content-length: ${good.length}`) + good],
  ])('one that is half closed %s is closed, and others are served', async (_, text) => {
    await whileOthersAreServed(small, async () => {
      const { socket, answer } = await openConnection(small.url, text)
      socket.end()
      await answer
    })
  })

  test('a client that never reads its answer is cut off, and its memory is freed', async () => {
    const { socket } = await openConnection(small.url, '')
    const body = JSON.stringify({ inputs: [{ name: 'x', datatype: 'FP32', shape: [1], data: [0.1234567] }] })
    socket.write(head('/v2/models/large/infer', `content-length: ${body.length}`) + body)
    // beside another request's body it would find no room for its tensors
    await once(socket, 'data')
    socket.pause()
    const closed = new Promise((resolve) => socket.on('close', resolve))
    const filled = async () => (await call(small.url + path, ' '.repeat(250_000) + good)).status
    // for a second and a half, which on a busy machine is only a few requests
    await expect.poll(filled, { interval: 0 }).toBe(503)
    await expect.poll(filled).toBe(200)
    socket.resume()
    await closed
  })
})

/** Watches how much CPU this thread takes in one turn of its event loop: unlike a delay, no other process adds to it. */
function watchTurns() {
  const cpuMs = () => process.threadCpuUsage().user / 1000
  let [last, most] = [cpuMs(), 0]
  const watch = setInterval(() => {
    const now = cpuMs()
    most = Math.max(most, now - last)
    last = now
  }, 5)
  return () => {
    clearInterval(watch)
    return most
  }
}

// parsed on the event loop, it would block the loop for all of its preprocessing
test('a huge JSON body does not hold up other requests: another thread parses it', async () => {
  const count = 8_000_000
  const rows = count / 10
  const body = Buffer.from(
    `{"inputs":[{"name":"features","datatype":"FP32","shape":[${rows},10],"data":[0${',0'.repeat(count - 1)}]}]}`,
  )
  const raw = Buffer.from(`[0${',0'.repeat(count - 1)}]`)
  await call(server.url + path, ' '.repeat(MiB) + good)
  const run = vi.spyOn(OffThread.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  for (const [target, bytes, job] of [
    [path, body, 'parseInfer'],
    ['/predictions/diabetes', raw, 'parseTensors'],
  ] as const) {
    run.mockClear()
    const longestMs = watchTurns()
    const answer = await whileOthersAreServed(server, () => call(server.url + target, bytes))
    const turnMs = longestMs()
    const preprocessMs = Number(/preprocess;dur=([\d.]+)/.exec(answer.headers.get('server-timing')!)![1])
    expect(answer.status).toBe(target === path ? 200 : 400)
    expect(turnMs).toBeLessThan(0.75 * preprocessMs)
    expect(run.mock.calls.map(([, name]) => name)).toContain(job)
  }
})

test('a long multipart body is parsed in another thread, whatever it contains', async () => {
  const run = vi.spyOn(OffThread.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  const part = `--b\r\ncontent-disposition: form-data; name="data"\r\n\r\n${JSON.stringify(zeros)}\r\n--b--\r\n`
  const type = { 'content-type': 'multipart/form-data; boundary=b' }
  const send = (body: string) => call(`${server.url}/predictions/diabetes`, body, type)
  const short = await send(part)
  expect([short.status, run.mock.calls.length]).toEqual([200, 0])
  // anything may precede the first boundary
  expect(await send(`${' '.repeat(MiB)}\r\n${part}`)).toMatchObject({ status: 200, body: short.body })
  expect(run.mock.calls.map(([, name]) => name)).toEqual(['parseTensors'])
  expect(await send(`${' '.repeat(MiB)}\r\n${part}`.slice(0, -6))).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('expected a multipart body with one part') },
  })
})

test.each([
  [
    '/v2/models/large/infer',
    '{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[0.1234567]}]}',
    '"data":[0.1234567,0.1234567,',
    'renderInfer',
  ],
  ['/predictions/large', '0.1234567', '{"predictions":[0.1234567,0.1234567,', 'renderPredictions'],
])('a huge answer at %s does not hold up others: another thread writes it', async (target, body, expected, job) => {
  const run = vi.spyOn(OffThread.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  const answer = await fetch(small.url + target, { method: 'POST', body })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(bytes.includes(expected)).toBe(true)
  expect(run.mock.calls.map(([, name]) => name)).toEqual([job])
})
