import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CandidateServer } from './server.ts'
import { call, demoModel, demoRows, startTestServer, testModel } from './testing/start-test-server.ts'

let server: CandidateServer
beforeAll(async () => {
  server = await startTestServer({
    limits: { bodyMax: '256KiB' },
    models: [
      { name: 'diabetes', version: '7', path: demoModel('diabetes-student') },
      { name: 'sum', path: testModel('sum') },
      { name: 'echo', path: testModel('echo-types') },
      { name: 'table', path: testModel('table'), batch: { sizeMax: 8, delayMax: '30ms' } },
      { name: 'mean', path: testModel('mean-of-rows'), batch: { delayMax: '30ms' } },
      { name: 'softmax', path: testModel('softmax-of-rows'), batch: { sizeMax: 8, delayMax: '30ms' } },
      { name: 'softmax-of-four', path: testModel('softmax-of-four'), batch: { sizeMax: 4, delayMax: '30ms' } },
      { name: 'inner', path: testModel('inner-names') },
      { name: 'fixed', path: testModel('fixed-batch'), batch: { delayMax: '30ms' } },
      { name: 'fixed-table', path: testModel('fixed-table'), batch: { delayMax: '30ms', sizeMax: 4 } },
      { name: 'scalar', path: testModel('no-batch') },
      { name: 'decoder', path: testModel('echo-text'), batch: { sizeMax: 2, delayMax: '30ms' } },
    ],
  })
})
afterAll(() => server.stop())

const at = (path: string) => server.url + path
const infer = (model: string, body: unknown, headers?: Record<string, string>) =>
  call(at(`/v2/models/${model}/infer`), body, headers)
const predict = (model: string, body: unknown, headers?: Record<string, string>) =>
  call(at(`/predictions/${model}`), body, headers)
const input = (name: string, datatype: string, shape: number[], data: unknown) => ({ name, datatype, shape, data })
const metric = async (line: string) =>
  String((await call(at('/metrics'))).body)
    .split('\n')
    .find((found) => found.startsWith(line))

describe('both protocols', () => {
  test('give the same answer to the same rows', async () => {
    const rows = demoRows<{ features: number[] }>('diabetes').slice(0, 5)
    const one = await infer('diabetes', {
      id: 'r1',
      inputs: [
        input(
          'features',
          'FP32',
          [5, 10],
          rows.map(({ features }) => features),
        ),
      ],
    })
    expect(one.status).toBe(200)
    expect(one.body).toMatchObject({ model_name: 'diabetes', model_version: '7', id: 'r1' })
    expect(one.body.outputs).toEqual([
      { name: 'progression', datatype: 'FP32', shape: [5, 1], data: expect.any(Array) },
    ])
    for (const [i, { features }] of rows.entries()) {
      const single = await predict('diabetes', features)
      expect(single.body.predictions[0]).toBeCloseTo(one.body.outputs[0].data[i], 3)
    }
  })

  test('report which model answered, and where the time went', async () => {
    const digest = createHash('sha256')
      .update(readFileSync(demoModel('diabetes-student')))
      .digest('hex')
    for (const { headers, status } of [
      await predict('diabetes', demoRows<{ features: number[] }>('diabetes')[0]!.features),
      await predict('diabetes', [1]),
      await infer('diabetes', '{'),
    ]) {
      expect([200, 400]).toContain(status)
      expect(headers.get('x-model-name')).toBe('diabetes')
      expect(headers.get('x-model-version')).toBe('7')
      expect(headers.get('x-model-digest')).toBe(`sha256:${digest}`)
      expect(headers.get('server-timing')).toMatch(
        /^queue;dur=[\d.]+, preprocess;dur=[\d.]+, batch;dur=[\d.]+, infer;dur=[\d.]+$/,
      )
    }
  })

  test('take a version in the path, and refuse another', async () => {
    const features = demoRows<{ features: number[] }>('diabetes')[0]!.features
    expect((await call(at('/predictions/diabetes/7'), features)).status).toBe(200)
    expect((await call(at('/predictions/diabetes/8'), features)).body).toMatchObject({
      code: 404,
      type: 'ModelVersionNotFoundException',
    })
    expect((await call(at('/v2/models/diabetes/versions/7'))).body.versions).toEqual(['7'])
    const other = await call(at('/v2/models/diabetes/versions/8/infer'), {})
    expect([other.status, Object.keys(other.body)]).toEqual([404, ['error']])
  })

  test('read compressed bodies', async () => {
    const body = gzipSync(JSON.stringify(demoRows<{ features: number[] }>('diabetes')[0]!.features))
    expect((await predict('diabetes', body, { 'content-encoding': 'gzip' })).status).toBe(200)
    expect((await predict('diabetes', body, { 'content-encoding': 'zstd' })).status).toBe(415)
    expect((await predict('diabetes', gzipSync(Buffer.alloc(1 << 20)), { 'content-encoding': 'gzip' })).status).toBe(
      413,
    )
  })
})

test('serve health, metadata and statistics', async () => {
  expect((await call(at('/v2'))).body).toMatchObject({
    name: 'understudy',
    extensions: expect.arrayContaining(['binary_tensor_data']),
  })
  expect(await call(at('/v2/health/live'))).toMatchObject({ status: 200, body: { live: true } })
  expect(await call(at('/v2/health/ready'))).toMatchObject({ status: 200, body: { ready: true } })
  expect(await call(at('/v2/models/sum/ready'))).toMatchObject({ status: 200, body: { name: 'sum', ready: true } })
  expect(await call(at('/ping'))).toMatchObject({ status: 200, body: { status: 'Healthy' } })
  expect(await call(at('/healthz'))).toMatchObject({ status: 200 })
  expect(await call(at('/readyz'))).toMatchObject({ status: 200 })
  expect((await call(at('/v2/models/sum'))).body).toEqual({
    name: 'sum',
    versions: ['1'],
    platform: 'onnx_onnxruntime',
    inputs: [
      { name: 'a', datatype: 'FP32', shape: [-1, 2] },
      { name: 'b', datatype: 'FP32', shape: [-1, 2] },
    ],
    outputs: [{ name: 'total', datatype: 'FP32', shape: [-1, 2] }],
  })
  await predict('sum', { a: [1, 2], b: [3, 4] })
  const [stats] = (await call(at('/v2/models/sum/stats'))).body.model_stats
  expect(stats).toMatchObject({ name: 'sum', inference_stats: { success: { count: expect.any(Number) } } })
  expect(stats.inference_count).toBeGreaterThan(0)
  expect(
    await metric('understudy_candidate_replies_total{protocol="torchServe",model="sum",status="200"}'),
  ).toBeDefined()
})

const examples: Record<string, unknown[]> = {
  fp16: [0.5, -2],
  fp32: [0.1, -1e-20],
  fp64: [0.1, 1e300],
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
  int64: [-5, 9007199254740991],
  uint64: [0, 9007199254740991],
  bool: [true, false],
  bytes: ['grüß', ''],
}

describe('element types', () => {
  const inputs = Object.entries(examples).map(([name, data]) => input(name, name.toUpperCase(), [1, 2], data))

  test('every type is returned unchanged, through JSON', async () => {
    const { status, body } = await infer('echo', { inputs })
    expect(status).toBe(200)
    for (const { name, datatype, data } of body.outputs) {
      expect(datatype).toBe(name.replace('_out', '').toUpperCase())
      const expected = examples[name.replace('_out', '')]!
      if (name === 'fp32_out') expect(data.map(Math.fround)).toEqual((expected as number[]).map(Math.fround))
      else expect(data, name).toEqual(expected)
    }
  })

  test('the tensor adapter takes them all by name', async () => {
    const { status, body } = await predict('echo', examples)
    expect(status).toBe(200)
    expect(body.predictions.int64_out).toEqual(examples.int64)
    expect(body.predictions.bytes_out).toEqual(examples.bytes)
    const asNumbers = await predict('echo', { ...examples, bool: [1, 0] })
    expect(asNumbers.body.predictions.bool_out).toEqual(examples.bool)
  })

  test('and keeps all digits of whole numbers, by name and alone', async () => {
    const ask = async (model: string, value: unknown) =>
      (await fetch(at(`/predictions/${model}`), { method: 'POST', body: JSON.stringify(value) })).text()
    const [above, least] = ['9007199254740993', '-9223372036854775808']
    const named = await ask('echo', {
      ...examples,
      int64: [JSON.rawJSON(above), JSON.rawJSON(least)],
      bytes: [above, ''],
    })
    expect(named).toContain(`"int64_out":[${above},${least}]`)
    expect(named).toContain(`"bytes_out":["${above}",""]`)
    expect(await ask('table', JSON.rawJSON(above))).toContain(`idx=${above}`)
  })

  test('every type is returned unchanged, as binary tensors', async () => {
    const bytes: Record<string, Buffer> = Object.fromEntries(
      Object.entries({
        fp16: new Float16Array([0.5, -2]),
        fp32: new Float32Array([0.1, -1e-20]),
        fp64: new Float64Array([0.1, 1e300]),
        int8: new Int8Array([-128, 127]),
        uint8: new Uint8Array([0, 255]),
        int16: new Int16Array([-32768, 32767]),
        uint16: new Uint16Array([0, 65535]),
        int32: new Int32Array([-2147483648, 2147483647]),
        uint32: new Uint32Array([0, 4294967295]),
        int64: new BigInt64Array([-(2n ** 63n), 2n ** 63n - 1n]),
        uint64: new BigUint64Array([0n, 2n ** 64n - 1n]),
        bool: new Uint8Array([1, 0]),
        // a byte order mark belongs to its text
        bytes: Buffer.from('\x06\0\0\0\xef\xbb\xbfabc\0\0\0\0', 'latin1'),
      }).map(([name, array]) => [name, Buffer.from(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength)]),
    )
    const head = Buffer.from(
      JSON.stringify({
        parameters: { binary_data_output: true },
        inputs: Object.entries(bytes).map(([name, data]) => ({
          name,
          datatype: name.toUpperCase(),
          shape: [1, 2],
          parameters: { binary_data_size: data.length },
        })),
      }),
    )
    const { status, body, headers } = await infer('echo', Buffer.concat([head, ...Object.values(bytes)]), {
      'content-type': 'application/octet-stream',
      'inference-header-content-length': String(head.length),
    })
    expect(status).toBe(200)
    const length = Number(headers.get('inference-header-content-length'))
    const { outputs } = JSON.parse(body.subarray(0, length).toString())
    let from = length
    for (const { name, parameters } of outputs) {
      const to = from + parameters.binary_data_size
      expect(body.subarray(from, to).equals(bytes[name.replace('_out', '')]!), name).toBe(true)
      from = to
    }
    expect(from).toBe(body.length)
  })

  test('whole numbers beyond 2^53 keep their digits', async () => {
    const answerTo = async (exact: Record<string, unknown[]>) => {
      const given = inputs.map((one) => ({ ...one, data: exact[one.name] ?? one.data }))
      return (
        await fetch(at('/v2/models/echo/infer'), { method: 'POST', body: JSON.stringify({ inputs: given }) })
      ).text()
    }
    expect(await answerTo({ int64: ['9223372036854775807', 0] })).toContain('"data":[9223372036854775807,0]')
    const literals = {
      int64: [JSON.rawJSON('9007199254740993'), JSON.rawJSON('-9223372036854775808')],
      uint64: [[JSON.rawJSON('18446744073709551615'), 7]],
      fp64: [JSON.rawJSON('9007199254740993'), 1e300],
    }
    const answer = await answerTo(literals)
    expect(answer).toContain('"data":[9007199254740993,-9223372036854775808]')
    expect(answer).toContain('"data":[18446744073709551615,7]')
    expect(answer).toContain('"data":[9007199254740992,1e+300]')
    const tooBig = await answerTo({ int64: [JSON.rawJSON('9223372036854775808'), 0] })
    expect(tooBig).toMatch(/int64: expected int64, whole numbers .* got .*9223372036854775808.* at element 0/)
  })

  test('a number that its type cannot hold is refused, not wrapped or rounded', async () => {
    const beyond: Record<string, string[]> = {
      int8: ['-129', '128', '0.5'],
      uint8: ['-1', '256'],
      int16: ['-32769', '32768'],
      uint16: ['-1', '65536'],
      int32: ['-2147483649', '2147483648'],
      uint32: ['-1', '4294967296'],
      int64: ['-9223372036854775809', '9223372036854775808', '0.5'],
      uint64: ['-1', '18446744073709551616'],
      bool: ['-1', '2'],
    }
    for (const [type, numbers] of Object.entries(beyond)) {
      for (const number of numbers) {
        const data = [examples[type]![0], JSON.rawJSON(number)]
        const { status, body } = await infer('echo', {
          inputs: inputs.map((one) => (one.name === type ? { ...one, data } : one)),
        })
        expect([status, body.error], `${number} as ${type}`).toEqual([
          400,
          expect.stringMatching(`^${type}: expected .*, got "?${number}"? at element 1$`),
        ])
      }
    }
  })

  test('outputs can be chosen', async () => {
    const { body } = await infer('echo', { inputs, outputs: [{ name: 'bool_out' }, { name: 'int8_out' }] })
    expect(body.outputs.map(({ name }: { name: string }) => name)).toEqual(['bool_out', 'int8_out'])
  })
})

describe('batching', () => {
  test('requests that arrive together run together, and each gets its own rows', async () => {
    const answers = await Promise.all([0, 1, 2, 3, 0, 1, 2, 3].map((index) => predict('table', index)))
    expect(answers.map(({ body }) => body.predictions)).toEqual([0, 1, 2, 3, 0, 1, 2, 3].map((i) => [i, i * 10]))
    const [stats] = (await call(at('/v2/models/table/stats'))).body.model_stats
    expect(stats.execution_count).toBeLessThan(8)
  })

  test('an input may be empty beside others, like a decoder’s past at its first step', async () => {
    const step = (tokens: number[], past: number[]) =>
      infer('decoder', {
        inputs: [
          input('input_ids', 'INT64', [1, tokens.length], tokens),
          input('attention_mask', 'INT64', past, []),
          input('token_type_ids', 'INT64', [1, tokens.length], tokens),
        ],
      })
    const answers = await Promise.all([step([7], [1, 0]), step([8], [1, 0])])
    for (const [i, { body }] of answers.entries()) {
      expect(body.outputs).toMatchObject([{ data: [7 + i] }, { shape: [1, 0], data: [] }, { data: [7 + i] }])
    }
    for (const [tokens, past] of [
      [[7], [0, 5]],
      [[7], [2 ** 21, 0]],
      [[], [1, 0]],
    ] as const) {
      expect((await step([...tokens], [...past])).body.error, String(past)).toMatch(/expected at least one element/)
    }
  })

  test('a request that the model refuses does not fail the others in its batch', async () => {
    const answers = await Promise.all([1, 99, 2].map((index) => predict('table', index)))
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200])
    expect(answers[1]!.body).toMatchObject({ code: 500, type: 'InternalServerException' })
    expect(answers[2]!.body.predictions).toEqual([2, 20])
  })

  test('nor if the batch is fixed and each of them then runs alone', async () => {
    const answers = await Promise.all([1, 99, 2].map((index) => predict('fixed-table', { index, offset: 1 })))
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200])
    expect(answers[0]!.body.predictions).toEqual([2, 20])
    expect(answers[2]!.body.predictions).toEqual([3, 30])
  })

  test('a model that mixes rows runs one request at a time', async () => {
    const answers = await Promise.all([0, 10, 20].map((x) => predict('mean', [x, x])))
    expect(answers.map(({ body }) => body.predictions)).toEqual([
      [0, 0],
      [10, 10],
      [20, 20],
    ])
  })

  test('so does one that mixes them without changing its shapes', async () => {
    const answers = await Promise.all([0, 1, 2].map((value) => predict('softmax', [value, 0])))
    expect(answers.map(({ body }) => body.predictions)).toEqual(new Array(3).fill([1, 1]))
  })

  test('even if its size is fixed', async () => {
    const answers = await Promise.all([0, 5, 5].map((value) => predict('softmax-of-four', [value, 0])))
    // run beside three rows of zeros that fill up the batch
    expect(answers[0]!.body.predictions).toEqual([0.25, 0.25])
  })

  test('an inner graph may use the name of the model’s input for its own', async () => {
    expect((await predict('inner', [1, 2])).body.predictions).toEqual([4, 8])
  })

  test('a model with a fixed batch takes single inputs, and whole batches', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map((x) => predict('fixed', [x, -x])))
    expect(answers.map(({ body }) => body.predictions)).toEqual([1, 2, 3, 4, 5].map((x) => [x * 10, x * -10]))
    const [stats] = (await call(at('/v2/models/fixed/stats'))).body.model_stats
    expect(stats.execution_count).toBeLessThan(5)
    const whole = await infer('fixed', { inputs: [input('x', 'FP32', [4, 2], [1, 2, 3, 4, 5, 6, 7, 8])] })
    expect(whole.body.outputs[0].data).toEqual([10, 20, 30, 40, 50, 60, 70, 80])
    const floats = (...values: number[]) => Buffer.from(new Float32Array(values).buffer)
    const raw = (bytes: Uint8Array) =>
      call(at('/predictions/fixed'), bytes, { 'content-type': 'application/octet-stream' })
    expect((await raw(floats(1, 2))).body.predictions).toEqual([10, 20])
    expect((await raw(floats(1, 2, 3, 4, 5, 6, 7, 8))).body.predictions[3]).toEqual([70, 80])
    expect((await raw(floats(1, 2, 3))).body.message).toBe('x: expected 8 bytes for [1, 2], got 12')
    const part = await infer('fixed', { inputs: [input('x', 'FP32', [3, 2], [1, 2, 3, 4, 5, 6])] })
    expect(part.body.error).toContain('expected the shape [4, 2], got [3, 2]')
    const mixed = await predict('fixed-table', { index: [0, 1, 2, 3], offset: 0 })
    expect([mixed.status, mixed.body.message]).toEqual([
      400,
      'expected as many rows in each input, got index 4, offset 1',
    ])
  })

  test('a model without a batch takes its input as it is', async () => {
    expect((await predict('scalar', 4)).body).toEqual({ predictions: 40 })
  })
})

describe('a malformed request is answered with what was expected', () => {
  const ok = input('features', 'FP32', [1, 10], new Array(10).fill(0))
  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{"inputs":', /JSON/],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), /JSON/],
    ['an array', [], /object/],
    ['no inputs', {}, /inputs: expected an array/],
    ['a number as id', { id: 1, inputs: [ok] }, /id: expected a string/],
    ['an input without a name', { inputs: [{ ...ok, name: undefined }] }, /inputs\[0\].name/],
    ['an input without a shape', { inputs: [{ ...ok, shape: undefined }] }, /shape: expected an array .* got nothing/],
    [
      'an unknown type',
      { inputs: [{ ...ok, datatype: 'BF16' }] },
      /datatype: BF16 is not served.*export the model as float32 or float16/,
    ],
    ['another type', { inputs: [{ ...ok, datatype: 'FP64' }] }, /features: expected FP32, got FP64/],
    ['a negative dimension', { inputs: [{ ...ok, shape: [-1, 10] }] }, /shape: expected/],
    ['no rows', { inputs: [{ ...ok, shape: [0, 10], data: [] }] }, /at least one element/],
    [
      'another shape',
      { inputs: [input('features', 'FP32', [1, 9], new Array(9).fill(0))] },
      /expected the shape \[any, 10\], got \[1, 9\]/,
    ],
    ['too few elements', { inputs: [{ ...ok, data: [1, 2] }] }, /expected 10 elements.*got 2/],
    ['too many elements', { inputs: [{ ...ok, data: new Array(11).fill(0) }] }, /expected 10 elements.*got 11/],
    ['a ragged array', { inputs: [{ ...ok, shape: [2, 10], data: [new Array(10).fill(0), [1]] }] }, /ragged/],
    [
      'nested data of another shape than the declared one',
      { inputs: [{ ...ok, shape: [2, 10], data: new Array(10).fill([1, 2]) }] },
      /features: expected the shape \[2, 10\], got \[10, 2\]/,
    ],
    [
      'nested data of another depth than the declared one',
      { inputs: [{ ...ok, data: [[new Array(10).fill(0)]] }] },
      /features: expected the shape \[1, 10\], got \[1, 1, 10\]/,
    ],
    [
      'a number beyond its type',
      { inputs: [{ ...ok, data: [1e39, ...new Array(9).fill(0)] }] },
      /float32, finite numbers, got 1e\+39 at element 0/,
    ],
    [
      'a number beyond all types',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":[1,10],"data":[1e999,0,0,0,0,0,0,0,0,0]}]}`,
      /finite numbers, got Infinity at element 0/,
    ],
    [
      'null for a number',
      { inputs: [{ ...ok, data: [null, ...new Array(9).fill(0)] }] },
      /finite numbers, got null at element 0/,
    ],
    ['text for a number', { inputs: [{ ...ok, data: ['1', ...new Array(9).fill(0)] }] }, /finite numbers, got "1"/],
    ['another input', { inputs: [{ ...ok, name: 'x' }] }, /features is missing/],
    ['one input too many', { inputs: [ok, { ...ok, name: 'x' }] }, /no input x/],
    ['an input twice', { inputs: [ok, ok] }, /twice/],
    ['an unknown output', { inputs: [ok], outputs: [{ name: 'x' }] }, /outputs\[0\].name: expected one of progression/],
    [
      'binary data that is not there',
      { inputs: [{ ...ok, data: undefined, parameters: { binary_data_size: 40 } }] },
      /binary_data_size/,
    ],
    [
      'a shape beyond all memory',
      { inputs: [{ ...ok, shape: [1e9, 1e9] }] },
      /expected the shape \[any, 10\], got \[1000000000, 1000000000\]/,
    ],
    [
      'nesting without end',
      `{"inputs":[{"name":"features","datatype":"FP32","shape":[1,10],"data":${'['.repeat(5000)}${']'.repeat(5000)}}]}`,
      /nested at most/,
    ],
  ])('Open Inference Protocol: %s', async (_, body, message) => {
    const answer = await infer('diabetes', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringMatching(message) })
  })

  test.each<[string, string, unknown, RegExp]>([
    ['no JSON', 'diabetes', 'features=1', /JSON/],
    ['an empty body', 'diabetes', '', /JSON/],
    ['too short', 'diabetes', [1, 2], /expected an array of shape \[10\], got \[2\]/],
    ['one value for an array', 'diabetes', 1, /expected an array of shape \[10\], got one value/],
    ['an array for one value', 'scalar', [1, 2], /expected one value, got \[2\]/],
    ['with a batch dimension', 'diabetes', [new Array(10).fill(0)], /leave the batch dimension out/],
    ['NaN as text', 'diabetes', ['NaN', ...new Array(9).fill(0)], /finite numbers, got "NaN"/],
    [
      'an unknown name',
      'diabetes',
      { feature: [] },
      /no input feature; expected an array, or {"features": array of \[10\]}/,
    ],
    ['one of two inputs', 'sum', { a: [1, 2] }, /input b is missing/],
    ['one array for two inputs', 'sum', [1, 2], /expected {"a": array of \[2\], "b": array of \[2\]}/],
    ['out of range', 'echo', { ...examples, int8: [128, 0] }, /int8, whole numbers from -128 to 127, got 128 at/],
    ['beyond its type', 'diabetes', [-1e39, ...new Array(9).fill(0)], /finite numbers, got -1e\+39/],
    ['beyond float16', 'echo', { ...examples, fp16: [1e6, 0] }, /fp16: expected float16, finite numbers, got 1000000/],
  ])('tensor adapter: %s', async (_, model, body, message) => {
    const answer = await predict(model, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ code: 400, type: 'BadRequestException', message: expect.stringMatching(message) })
  })

  test('paths, methods, models and sizes have their own statuses, in the protocol’s own format', async () => {
    expect(await call(at('/nothing'))).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
    expect(await call(at('/v2/nothing'))).toMatchObject({ status: 404, body: { error: expect.any(String) } })
    expect(await call(at('/v2/models/nope'))).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('nope') },
    })
    expect(await predict('nope', [])).toMatchObject({
      status: 404,
      body: { code: 404, type: 'ModelNotFoundException' },
    })
    const notAllowed = await call(at('/predictions/sum'))
    expect(notAllowed).toMatchObject({ status: 405, body: { code: 405, type: 'MethodNotAllowedException' } })
    expect(notAllowed.headers.get('allow')).toBe('POST, PUT')
    expect(await predict('sum', ' '.repeat(300_000))).toMatchObject({ status: 413, body: { code: 413 } })
  })

  test.each([
    ['/v2/repository/models/sum/load', /: models are named in the config; change it and send the server SIGHUP/],
    ['/v2/systemsharedmemory/unregister', /: shared memory is not served; send the data in the body/],
    ['/v2/cudasharedmemory/region/a/register', /: shared memory is not served/],
    ['/v2/models/sum/versions/1/generate', /: send tensors to …\/infer/],
    ['/v2/models/sum/trace/setting', /Server-Timing/],
    ['/v2/logging', /LOG_LEVEL/],
    ['/v1/models/sum:predict', /: send one row to \/predictions\/NAME, or tensors to \/v2\/models\/NAME\/infer/],
    ['/explanations/sum', /TorchServe/],
    ['/invocations', /paths:/],
    ['/v2/models/sum/nothing', /nothing at \/v2\/models\/sum\/nothing$/],
  ])('%s, a call of another server, is answered with what to do instead', async (path, message) => {
    const { status, body } = await call(at(path), {})
    expect([status, body.error ?? body.message]).toEqual([404, expect.stringMatching(message)])
  })

  test('a body that turns out too long is cut off with an answer', async () => {
    const status = await new Promise((resolve, reject) => {
      const upload = request(at('/v2/models/sum/infer'), { method: 'POST' }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      upload.on('error', reject)
      upload.write(Buffer.alloc(200_000, 0x20))
      upload.write(Buffer.alloc(200_000, 0x20))
    })
    expect(status).toBe(413)
  })
})
