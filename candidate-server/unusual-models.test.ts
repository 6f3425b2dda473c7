/** Models of unusual form: each is served correctly in every protocol. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../runtime/logger.ts'
import { nest } from './tensor/nested-array.ts'
import { call, startTestServer, testModel } from './testing/start-test-server.ts'

async function serve(file: string, more: Record<string, unknown> = {}): Promise<string> {
  const server = await startTestServer({ models: [{ name: 'm', path: testModel(file), ...more }] })
  onTestFinished(() => server.stop())
  return server.url
}

test('a model without inputs is run without any', async () => {
  const url = await serve('no-inputs')
  const infer = (request: unknown) => call(`${url}/v2/models/m/infer`, request)
  expect((await infer({ inputs: [] })).body.outputs).toEqual([
    { name: 'y', datatype: 'FP32', shape: [2], data: [1, 2] },
  ])
  const { body } = await infer({ inputs: [], parameters: { binary_data_output: true } })
  expect(body.readFloatLE(body.length - 8)).toBe(1)
  expect((await call(`${url}/predictions/m`, {})).body).toEqual({ predictions: [1, 2] })
  const x = { name: 'x', shape: [1], datatype: 'FP32', data: [1] }
  expect((await infer({ inputs: [x] })).body).toEqual({ error: 'the model has no input x; it takes none' })
  expect((await call(`${url}/v2/models/m/stats`)).body.model_stats).toMatchObject([{ inference_count: 3 }])
})

test.each([
  ['one-image', [12], Array.from({ length: 12 }, (_, i) => i)],
  ['one-image-any-rows', [11, 4], undefined],
])(
  '%s, whose outputs do not have one row per input row, is served one request at a time',
  async (file, shape, data) => {
    const url = await serve(file)
    const image = {
      name: 'image',
      datatype: 'FP32',
      shape: [1, 3, 2, 2],
      data: Array.from({ length: 12 }, (_, i) => i),
    }
    const answers = await Promise.all([1, 2, 3].map(() => call(`${url}/v2/models/m/infer`, { inputs: [image] })))
    for (const { body } of answers) expect(body.outputs).toMatchObject([{ shape, ...(data && { data }) }])
    const [stats] = (await call(`${url}/v2/models/m/stats`)).body.model_stats
    expect([stats.inference_count, stats.execution_count]).toEqual([3, 3])
  },
)

test('names that are special on objects are names like any other', async () => {
  const url = await serve('odd-names', { batch: { sizeMax: 4, delayMax: '5ms' } })
  const taken = ['__proto__', 'constructor', '0', 'a.b/c:0', 'x']
  const given = ['toString', 'then', 'length', 'größe', 'X']
  const inputs = (parameters?: object) =>
    taken.map((name, i) => ({
      name,
      shape: [1, 1],
      datatype: 'FP32',
      ...(parameters ? { parameters } : { data: [i + 1] }),
    }))
  const outputs = given.map((name, i) => ({ name, datatype: 'FP32', shape: [1, 1], data: [-i - 1] }))
  const json = await Promise.all([0, 1, 2].map(() => call(`${url}/v2/models/m/infer`, { inputs: inputs() })))
  for (const { body } of json) expect(body.outputs).toEqual(outputs)
  const wanted = given.toReversed().map((name) => ({ name, parameters: { binary_data: true } }))
  const head = Buffer.from(JSON.stringify({ inputs: inputs({ binary_data_size: 4 }), outputs: wanted }))
  const binary = await call(
    `${url}/v2/models/m/infer`,
    Buffer.concat([head, Buffer.from(new Float32Array([1, 2, 3, 4, 5]).buffer)]),
    { 'inference-header-content-length': String(head.length) },
  )
  const length = Number(binary.headers.get('inference-header-content-length'))
  expect([0, 4, 8, 12, 16].map((at) => binary.body.readFloatLE(length + at))).toEqual([-5, -4, -3, -2, -1])
  const { body } = await call(`${url}/predictions/m`, Object.fromEntries(taken.map((name, i) => [name, [i + 1]])))
  expect(Object.entries(body.predictions)).toEqual(expect.arrayContaining(given.map((name, i) => [name, [-i - 1]])))
})

test.each([
  ['kinds-of-one', {}, 'every row tried except zeros: whether answers depend on their neighbours is unknown'],
  [
    'length-of-six',
    {},
    'every row tried: whether answers depend on their neighbours is unknown, and they share batches',
  ],
  ['kinds-of-two-bytes', {}, 'batching is off'],
  ['kinds-of-two-bytes', { dispatch: { by: 'elements', groups: [{ upTo: 8, batch: { sizeMax: 1 } }, {}] } }, 'is off'],
])('for %s with %j the log says that %s', async (file, more, expected) => {
  const logger = createLogger('test', 'silent')
  const warn = vi.spyOn(logger, 'warn')
  const section = { cpu: {}, models: [{ name: 'm', path: testModel(file), ...more }] }
  const server = await startTestServer(section, { logger })
  onTestFinished(() => server.stop())
  expect(warn).toHaveBeenCalledWith({ model: 'm' }, expect.stringContaining(expected))
})

test('a decoder’s past may be empty in nested arrays too, which end at the empty dimension', async () => {
  const url = await serve('with-past')
  const key = [[[1, 2]], [[3, 4]]]
  const { body } = await call(`${url}/predictions/m`, { past_key: [[], []], key })
  expect(body).toEqual({ predictions: key })
  const inputs = [
    { name: 'past_key', shape: [1, 2, 0, 2], datatype: 'FP32', data: [[[], []]] },
    { name: 'key', shape: [1, 2, 1, 2], datatype: 'FP32', data: [key] },
  ]
  const answer = await call(`${url}/v2/models/m/infer`, { inputs })
  expect(answer.body.outputs).toMatchObject([{ shape: [1, 2, 1, 2], data: [1, 2, 3, 4] }])
  const [first] = inputs
  const wrong = await call(`${url}/v2/models/m/infer`, { inputs: [{ ...first, data: [[[]]] }, inputs[1]] })
  expect(wrong).toMatchObject({ status: 400, body: { error: expect.stringContaining('got [1, 1, 0]') } })
})

test('a list of what a model finds is an array at /predictions too, however many entries it has', async () => {
  const url = await serve('one-image-any-rows')
  const found = async (...pixels: number[]) => {
    const image = [0, 1, 2].map((channel) =>
      nest(
        pixels.map((pixel) => (channel === 2 ? pixel : 0)),
        [2, 2],
      ),
    )
    return (await call(`${url}/predictions/m`, image)).body.predictions
  }
  expect(await found(0, 0, 0, 0)).toEqual([])
  expect(await found(0, 5, 0, 0)).toEqual([[0, 2, 0, 1]])
  expect(await found(0, 5, 7, 0)).toEqual([
    [0, 2, 0, 1],
    [0, 2, 1, 0],
  ])
})

test('an output that declares one row whatever the number of rows is described as it is', async () => {
  const url = await serve('label-of-one')
  const x = { name: 'x', shape: [3, 2], datatype: 'FP32', data: [1, 0, 0, 1, 1, 0] }
  const { body } = await call(`${url}/v2/models/m/infer`, { inputs: [x] })
  expect(body.outputs).toEqual([{ name: 'label', datatype: 'INT64', shape: [3], data: [0, 1, 0] }])
  expect((await call(`${url}/v2/models/m`)).body.outputs).toEqual([{ name: 'label', datatype: 'INT64', shape: [-1] }])
  expect((await call(`${url}/v2/models/m/config`)).body).toMatchObject({ max_batch_size: 8, output: [{ dims: [] }] })
})

test('an output of unknown rank is described and answered by what the model gives for one row', async () => {
  const url = await serve('open-rank', { labels: ['no', 'yes'] })
  const { body } = await call(`${url}/v2/models/m`)
  expect(body.outputs).toEqual([{ name: 'y', datatype: 'FP32', shape: [-1, -1] }])
  expect((await call(`${url}/predictions/m`, [1, 2])).body).toEqual({ predictions: [1, 2], label: 'yes' })
})

test('inputs that differ in a dimension of one name are run, and blamed only if the runtime refuses them', async () => {
  const url = await serve('sum')
  const rows = (name: string, count: number) => ({
    name,
    shape: [count, 2],
    datatype: 'FP32',
    data: new Array<number>(2 * count).fill(count),
  })
  const infer = (a: number, b: number) => call(`${url}/v2/models/m/infer`, { inputs: [rows('a', a), rows('b', b)] })
  expect((await infer(3, 1)).body.outputs).toMatchObject([{ shape: [3, 2], data: [4, 4, 4, 4, 4, 4] }])
  const { status, body } = await infer(3, 2)
  expect([status, body.error]).toEqual([
    400,
    expect.stringMatching(/^expected one size of each dimension, but batch is 3 in a and 2 in b: the model failed: /),
  ])
})
