import { request } from 'node:http'
import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../runtime/logger.ts'
import type { CandidateServer } from './server.ts'
import { call, demoModel, startTestServer, testModel } from './testing/start-test-server.ts'

const labels = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

let server: CandidateServer
const logger = createLogger('test', 'silent')

beforeAll(async () => {
  const section = {
    models: [
      { name: 'diabetes', version: '7', path: demoModel('diabetes-student') },
      { name: 'digits', path: demoModel('digits-student'), labels },
      { name: 'plain', path: demoModel('digits-student') },
      { name: 'sum', path: testModel('sum') },
      { name: 'echo', path: testModel('echo-types') },
      { name: 'scalar', path: testModel('no-batch') },
      { name: 'slow', path: testModel('slow') },
      { name: 'large', path: testModel('large-output') },
    ],
  }
  server = await startTestServer(section, { logger })
})
afterAll(() => server?.stop())

const at = (path: string) => server.url + path
const infer = (model: string, body: unknown, headers?: Record<string, string>) =>
  call(at(`/v2/models/${model}/infer`), body, headers)
const features = { name: 'features', datatype: 'FP32', shape: [1, 10], data: new Array(10).fill(0.05) }
const rowBytes = Buffer.from(new Float32Array(10).fill(0.05).buffer)

/** The JSON part, and the outputs' bytes by name. */
function readBinary({ body, headers }: Awaited<ReturnType<typeof infer>>) {
  let from = Number(headers.get('inference-header-content-length'))
  const document = JSON.parse(body.subarray(0, from).toString())
  const bytes: Record<string, Buffer> = {}
  for (const { name, parameters } of document.outputs) {
    if (parameters?.binary_data_size === undefined) continue
    bytes[name] = body.subarray(from, from + parameters.binary_data_size)
    from += parameters.binary_data_size
  }
  expect(from).toBe(body.length)
  return { document, bytes }
}

describe('the server reports', () => {
  test('all models, all their statistics and the repository index', async () => {
    const names = ['diabetes', 'digits', 'plain', 'sum', 'echo', 'scalar', 'slow', 'large']
    expect((await call(at('/v2/models'))).body).toEqual({ models: names })
    const { model_stats: stats } = (await call(at('/v2/models/stats'))).body
    expect(stats.map(({ name }: { name: string }) => name)).toEqual(names)
    const index = (await call(at('/v2/repository/index'), {})).body
    expect(index[0]).toEqual({ name: 'diabetes', version: '7', state: 'READY', reason: '' })
    expect(index).toHaveLength(names.length)
    expect((await call(at('/v2/repository/index'), '{"ready":true}')).body).toHaveLength(names.length)
    expect((await call(at('/v2/repository/index'), '')).body).toHaveLength(names.length)
    expect((await call(at('/v2/repository/index'), '[')).status).toBe(400)
    expect((await call(at('/v2/repository/index'), `{"ready":true${' '.repeat(5000)}}`)).status).toBe(413)
    expect((await call(at('/v2/repository/index'))).status).toBe(405)
  })

  test('a missing version as a 404 that names the existing one, at every path of a model', async () => {
    for (const part of ['', '/ready', '/config', '/stats']) {
      expect(await call(at(`/v2/models/diabetes/versions/8${part}`)), part).toMatchObject({
        status: 404,
        body: { error: 'Model version: 8 does not exist for model: diabetes; there is 7' },
      })
      const known = await call(at(`/v2/models/diabetes/versions/7${part}`))
      expect([known.status, known.headers.get('x-model-version')], part).toEqual([200, '7'])
    }
  })

  test('configuration dimensions without the batch only for models that take batches', async () => {
    expect((await call(at('/v2/models/echo/config'))).body).toMatchObject({
      name: 'echo',
      backend: 'onnxruntime',
      max_batch_size: 8,
      input: expect.arrayContaining([
        { name: 'bytes', data_type: 'TYPE_STRING', dims: [2] },
        { name: 'fp16', data_type: 'TYPE_FP16', dims: [2] },
      ]),
      instance_group: [{ name: 'echo', kind: 'KIND_CPU', count: 1 }],
    })
    expect((await call(at('/v2/models/large/config'))).body).toMatchObject({
      max_batch_size: 0,
      output: [{ name: 'y', data_type: 'TYPE_FP32', dims: [1048576] }],
    })
  })

  test('statistics that add up to the requests made', async () => {
    const one = async () => (await call(at('/v2/models/sum/stats'))).body.model_stats[0]
    const before = await one()
    const pair = (name: string, rows: number) => ({
      name,
      datatype: 'FP32',
      shape: [rows, 2],
      data: new Array(rows * 2).fill(1),
    })
    for (const rows of [1, 3]) await infer('sum', { inputs: [pair('a', rows), pair('b', rows)] })
    const after = await one()
    expect(after.inference_count - before.inference_count).toBe(4)
    expect(after.execution_count - before.execution_count).toBe(2)
    for (const part of ['success', 'queue', 'compute_input', 'compute_infer']) {
      const { count, ns } = after.inference_stats[part]
      expect(count - before.inference_stats[part].count, part).toBe(2)
      expect(ns, part).toBeGreaterThan(0)
    }
    const { success, queue, compute_input, compute_infer } = after.inference_stats
    expect(Math.abs(success.ns - queue.ns - compute_input.ns - compute_infer.ns)).toBeLessThan(10)
    expect(after.batch_stats.map(({ batch_size: size }: { batch_size: number }) => size)).toEqual([1, 3])
    for (const none of ['compute_output', 'cache_hit', 'cache_miss']) {
      expect(after.inference_stats[none]).toEqual({ count: 0, ns: 0 })
    }
  })
})

describe('parameters', () => {
  test('an id is returned, unknown ones are accepted, and the answer names the file', async () => {
    const { body, headers } = await infer('diabetes', {
      id: '',
      inputs: [{ ...features, parameters: { mine: 1.5 } }],
      parameters: { mine: 'x', flag: true, priority: 2, timeout: 0, sequence_id: 0 },
      outputs: [{ name: 'progression', parameters: { mine: true } }],
    })
    expect(body).toMatchObject({ id: '', parameters: { model_digest: headers.get('x-model-digest') } })
    expect(Object.keys((await infer('diabetes', { inputs: [features] })).body)).not.toContain('id')
  })

  test.each([
    ['of the request', { parameters: { sequence_id: 7 } }, 'parameters.sequence_id: requests keep no state'],
    [
      'of an input',
      { inputs: [{ ...features, data: undefined, parameters: { shared_memory_region: 'r' } }] },
      'inputs[0].parameters.shared_memory_region: shared memory is not served; send the data in the body',
    ],
    [
      'of an output',
      { outputs: [{ name: 'progression', parameters: { shared_memory_region: 'r' } }] },
      'outputs[0].parameters.shared_memory_region',
    ],
    ['with a wrong timeout', { parameters: { timeout: -1 } }, 'parameters.timeout: expected a whole number from 0'],
  ])('unsupported ones are refused: %s', async (_, change, message) => {
    const answer = await infer('diabetes', { inputs: [features], ...change })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(message) } })
  })

  test('a request leaves the queue when its own timeout has passed', async () => {
    const rounds = (count: number, parameters = {}) => {
      const inputs = [{ name: 'rounds', datatype: 'FP32', shape: [1, 1], data: [count] }]
      return infer('slow', { inputs, parameters })
    }
    const running = rounds(500)
    const next = rounds(1)
    await expect
      .poll(async () => (await call(at('/metrics'))).body.toString())
      .toMatch(/queue_requests{model="slow"[^}]*} 1\n/)
    const logged = vi.spyOn(logger, 'error')
    const hurried = await rounds(1, { timeout: 1_000 })
    expect(hurried).toMatchObject({ status: 504, body: { error: expect.stringContaining('its timeout parameter') } })
    // the client asked for it, and a busy server would log one after another
    expect(logged).not.toHaveBeenCalled()
    expect([(await running).status, (await next).status]).toEqual([200, 200])
  })
})

describe('outputs', () => {
  const inputs = ['a', 'b'].map((name) => ({ name, datatype: 'FP32', shape: [1, 2], data: [1, 2] }))
  const pair = {
    name: 'image',
    datatype: 'FP32',
    shape: [2, 1, 8, 8],
    data: Array.from({ length: 128 }, (_, i) => i / 128),
  }

  test('are binary or not as each output says, else as the request says', async () => {
    for (const [all, own, binary] of [
      [true, undefined, true],
      [true, false, false],
      [false, true, true],
      [undefined, undefined, false],
    ] as const) {
      const answer = await infer('sum', {
        inputs,
        parameters: { ...(all !== undefined && { binary_data_output: all }) },
        outputs: [{ name: 'total', parameters: { ...(own !== undefined && { binary_data: own }) } }],
      })
      expect(answer.headers.has('inference-header-content-length')).toBe(binary)
      if (binary)
        expect(new Float32Array(Uint8Array.from(readBinary(answer).bytes.total!).buffer)).toEqual(
          new Float32Array([2, 4]),
        )
      else expect(answer.body.outputs[0].data).toEqual([2, 4])
    }
  })

  test('are the highest classes as score, index and label', async () => {
    const [scores] = (await infer('digits', { inputs: [pair] })).body.outputs
    const ask = (model: string, count: number, binary = false) =>
      infer(model, {
        inputs: [pair],
        outputs: [{ name: 'probabilities', parameters: { classification: count, binary_data: binary } }],
      })
    const order = (row: number) =>
      [...labels.keys()].sort((a, b) => scores.data[row * 10 + b] - scores.data[row * 10 + a])
    const expected = [0, 1].flatMap((row) =>
      order(row)
        .slice(0, 3)
        .map((index) => `${scores.data[row * 10 + index]}:${index}:${labels[index]}`),
    )
    expect((await ask('digits', 3)).body.outputs).toEqual([
      { name: 'probabilities', datatype: 'BYTES', shape: [2, 3], data: expected },
    ])
    const unlabelled = (await ask('plain', 1)).body.outputs[0]
    expect(unlabelled.shape).toEqual([2, 1])
    for (const text of unlabelled.data) expect(text).toMatch(/^[\d.e-]+:\d$/)
    expect((await ask('digits', 99)).body.outputs[0].shape).toEqual([2, 10])
    expect((await ask('digits', 0)).body.outputs[0].data).toEqual(scores.data)
    const { document, bytes } = readBinary(await ask('digits', 3, true))
    expect(document.outputs[0]).toMatchObject({ datatype: 'BYTES', shape: [2, 3] })
    expect(bytes.probabilities!.toString('latin1')).toContain(expected[0]!)
  })

  test('of texts and booleans have no classes', async () => {
    for (const name of ['bool_out', 'bytes_out']) {
      const answer = await infer('echo', { inputs: [], outputs: [{ name, parameters: { classification: 1 } }] })
      expect(answer.body.error).toBe(
        `outputs[0].parameters.classification: ${name} holds no scores; leave the parameter out`,
      )
    }
  })

  test('that are large are written as JSON without holding up other requests, and to the last digit', async () => {
    const inputs = [{ name: 'x', datatype: 'FP32', shape: [1], data: [0.1] }]
    const { status, body } = await infer('large', { inputs })
    expect(status).toBe(200)
    expect(body.outputs[0].shape).toEqual([1048576])
    expect(body.outputs[0].data.every((value: number) => value === 0.1)).toBe(true)
  })
})

describe('a raw binary request', () => {
  const raw = (model: string, body: Uint8Array, path = `/v2/models/${model}/infer`) =>
    call(at(path), body, { 'inference-header-content-length': '0', 'content-type': 'application/octet-stream' })

  test('is one row, and its answer is binary', async () => {
    const told = (await infer('diabetes', { inputs: [features] })).body.outputs[0]
    const { document, bytes } = readBinary(await raw('diabetes', rowBytes))
    expect(document.outputs).toEqual([
      { name: 'progression', datatype: 'FP32', shape: [1, 1], parameters: { binary_data_size: 4 } },
    ])
    expect(bytes.progression!.readFloatLE()).toBeCloseTo(told.data[0], 3)
  })

  test('may be a scalar, and its size may determine a dimension', async () => {
    const ten = Buffer.from(new Float32Array([4]).buffer)
    expect(readBinary(await raw('scalar', ten)).bytes.y!.readFloatLE()).toBe(40)
  })

  test.each<[string, string, Uint8Array, RegExp]>([
    ['too short', 'diabetes', rowBytes.subarray(1), /features: expected 40 bytes for \[1, 10\], got 39/],
    ['two rows', 'diabetes', Buffer.concat([rowBytes, rowBytes]), /expected 40 bytes for \[1, 10\], got 80/],
    ['empty', 'diabetes', Buffer.alloc(0), /expected 40 bytes for \[1, 10\], got 0/],
    ['for two inputs', 'sum', Buffer.alloc(16), /for models of one input, and this one takes a, b/],
  ])('is refused where it is %s', async (_, model, body, message) => {
    expect(await raw(model, body)).toMatchObject({ status: 400, body: { error: expect.stringMatching(message) } })
  })
})

describe('TorchServe', () => {
  const predict = (body: unknown, headers?: Record<string, string>) => call(at('/predictions/diabetes'), body, headers)
  const form = (value: string | Blob, name = 'input') => {
    const body = new FormData()
    if (typeof value === 'string') body.append('data', value)
    else body.append('data', value, name)
    return body
  }

  test('takes JSON, raw elements, and either as a part of a multipart body', async () => {
    const { predictions } = (await predict(features.data)).body
    expect(predictions).toHaveLength(1)
    const text = JSON.stringify(features.data)
    for (const [label, body, headers] of [
      ['by name', { features: features.data }, undefined],
      ['without a type', text, {}],
      ['raw', rowBytes, { 'content-type': 'application/octet-stream' }],
      ['raw, spelled another way', rowBytes, { 'content-type': 'Application/Octet-Stream; type=f32' }],
      ['a field', form(text), undefined],
      ['a file of JSON', form(new Blob([text], { type: 'application/json' })), undefined],
      ['a file of JSON from curl', form(new Blob([text], { type: 'application/octet-stream' }), 'row.json'), undefined],
      ['a file of elements', form(new Blob([rowBytes], { type: 'application/octet-stream' })), undefined],
    ] as const) {
      const answer = await predict(body, headers)
      expect([answer.status, answer.body], label).toEqual([200, { predictions: [expect.closeTo(predictions[0], 3)] }])
    }
  })

  test('reports what is wrong with a multipart body', async () => {
    const part = '\r\ncontent-disposition: form-data; name="data"\r\n\r\n'
    for (const [body, type] of [
      ['--x--\r\n', 'multipart/form-data; boundary=x'],
      ['nothing of the kind', 'multipart/form-data; boundary=x'],
      ['--x', 'multipart/form-data'],
      [`--x${part}[1]\r\n--x${part}[2]\r\n--x--\r\n`, 'multipart/form-data; boundary=x'],
    ] as const) {
      expect(await predict(body, { 'content-type': type })).toMatchObject({
        status: 400,
        body: { code: 400, message: expect.stringContaining('expected a multipart body with one part') },
      })
    }
  })
})

describe('compression', () => {
  const rows = 400
  const body = JSON.stringify({ inputs: [{ ...features, shape: [rows, 10], data: new Array(rows * 10).fill(0.05) }] })

  /** Without the client's own decompression. */
  const ask = (acceptEncoding: string | undefined, sent: Buffer | string = body, contentEncoding?: string) =>
    new Promise<{ encoding: string | undefined; vary: string | undefined; body: Buffer }>((resolve, reject) => {
      const headers = {
        ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
        ...(contentEncoding && { 'content-encoding': contentEncoding }),
      }
      const asked = request(at('/v2/models/diabetes/infer'), { method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          expect(response.statusCode).toBe(200)
          const { 'content-encoding': encoding, vary } = response.headers
          resolve({ encoding, vary, body: Buffer.concat(chunks) })
        })
      })
      asked.on('error', reject)
      asked.end(sent)
    })
  const decoders: Record<string, (body: Buffer) => Buffer> = { gzip: gunzipSync, deflate: inflateSync }

  test.each([
    [undefined, undefined],
    ['identity', undefined],
    ['*', undefined],
    ['br', undefined],
    ['gzip;q=0', undefined],
    ['gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['deflate, gzip', 'gzip'],
    ['gzip;q=0.5, deflate;q=0.8', 'deflate'],
  ])('Accept-Encoding %s is answered in %s', async (accepted, encoding) => {
    const answer = await ask(accepted)
    expect(answer.encoding).toBe(encoding)
    expect(answer.vary).toBe(encoding && 'accept-encoding')
    const plain = encoding ? decoders[encoding]!(answer.body) : answer.body
    expect(JSON.parse(plain.toString()).outputs[0].shape).toEqual([rows, 1])
  })

  test('a small answer is not compressed', async () => {
    const small = JSON.stringify({ inputs: [features] })
    expect((await ask('gzip', small)).encoding).toBeUndefined()
  })

  test('requests may come in gzip and deflate, too', async () => {
    for (const [encoding, encoded] of [
      ['gzip', gzipSync(body)],
      ['deflate', deflateSync(body)],
      // as some clients understand it
      ['deflate', deflateRawSync(body)],
    ] as const) {
      expect(JSON.parse((await ask(undefined, encoded, encoding)).body.toString()).outputs[0].shape).toEqual([rows, 1])
    }
  })
})

test('the runtime’s message about a failed run omits its source location', async () => {
  const rows = (name: string, count: number) => ({
    name,
    datatype: 'FP32',
    shape: [count, 2],
    data: new Array(count * 2).fill(1),
  })
  const { status, body } = await infer('sum', { inputs: [rows('a', 2), rows('b', 3)] })
  expect(status).toBe(400)
  expect(body.error).toMatch(
    /running Add node\..*Attempting to broadcast an axis by a dimension other than 1\. 2 by 3$/,
  )
  expect(body.error).not.toMatch(/onnxruntime_src|ptrdiff_t/)
})
