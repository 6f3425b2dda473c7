/**
 * Models as exporters write them. Asked by many clients at once and in batches, each gives the same answer as ONNX
 * Runtime does for the request alone, in every protocol.
 */
import { InferenceSession } from 'onnxruntime-node'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../test/fuzz/random.ts'
import { run } from './instance/run-session.ts'
import { tensorOfBytes } from './protocol/binary-tensor.ts'
import { elementTypeOf } from './protocol/data-types.ts'
import { flattenNested, nest, shapeOfNested } from './tensor/nested-array.ts'
import {
  arrayOfBytes,
  bytesOfArray,
  elementCount,
  elementTypes,
  type NumericArray,
  type NumericType,
  protocolTypeOf,
} from './tensor/tensor.ts'
import { call, startTestServer, testModel } from './testing/start-test-server.ts'

const random = new Random(5)
interface Made {
  type: NumericType
  shape: number[]
  fill: () => number | bigint
}
const floats = (...shape: number[]): Made => ({ type: 'float32', shape, fill: () => random.unit() * 4 - 2 })
const ids = (...shape: number[]): Made => ({ type: 'int64', shape, fill: () => BigInt(random.int(0, 9)) })

const models: [name: string, batched: boolean, inputs: (length: number) => Record<string, Made>][] = [
  ['text-classifier', true, (n) => ({ input_ids: ids(1, n), attention_mask: ids(1, n), token_type_ids: ids(1, n) })],
  ['speech-decoder', true, (n) => ({ input_features: floats(1, 4, 6), decoder_input_ids: ids(1, n) })],
  ['labels-of-texts', true, () => ({ X: floats(1, 2) })],
  ['domains', true, () => ({ x: { ...floats(1, 3), type: 'float16' } })],
  ['share-of-most', false, () => ({ x: floats(1, 2) })],
  ['branch-by-most', false, () => ({ x: floats(1, 2) })],
  ['all-pairs', false, () => ({ a: floats(1, 2), b: floats(1, 2) })],
  ['time-first', false, (n) => ({ x: floats(n, 1, 3) })],
]

test.each(models)('%s, in batches: %s', async (name, batched, inputsOf) => {
  const server = await startTestServer({ models: [{ name: 'm', path: testModel(name), batch: { delayMax: '20ms' } }] })
  onTestFinished(() => server.stop())
  const session = await InferenceSession.create(testModel(name))
  const infer = `${server.url}/v2/models/m/infer`
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const inputs = Object.entries(inputsOf(1 + (i % 3))).map(([name, { type, shape, fill }]) => {
        const { array } = elementTypes[type] as { array: Float32ArrayConstructor }
        const data = array.from({ length: elementCount(shape) }, fill as () => number)
        return { name, type, shape, data }
      })
      const expected = await answerOf(session, inputs)
      const asJson = inputs.map(({ type, data, ...named }) => ({
        ...named,
        datatype: protocolTypeOf(type),
        data: Array.from(data as Float32Array, Number),
      }))
      expectNear((await call(infer, { inputs: asJson })).body.outputs, expected)
      expectNear(await binaryAnswer(infer, inputs), expected)
      // the first dimension of a time sequence is not a batch that could be omitted
      const rows = asJson.map(({ name, shape, data }) => [name, nest(data, shape[0] === 1 ? shape.slice(1) : shape)])
      const { predictions } = (await call(`${server.url}/predictions/m`, Object.fromEntries(rows))).body
      const named = expected.length === 1 ? { [expected[0]!.name]: predictions } : predictions
      const answered = expected.map(({ name, shape: [first] }) => {
        const own = shapeOfNested(named[name])
        return { name, shape: first === 1 ? [1, ...own] : own, data: flattenNested(name, named[name]) }
      })
      expectNear(answered, expected)
    }),
  )
  const [stats] = (await call(`${server.url}/v2/models/m/stats`)).body.model_stats
  expect(stats.execution_count < stats.inference_stats.success.count).toBe(batched)
})

interface Input {
  name: string
  type: NumericType
  shape: number[]
  data: NumericArray
}
interface Output {
  name: string
  shape: number[]
  data: ArrayLike<unknown>
}

async function answerOf(session: InferenceSession, inputs: Input[]): Promise<Output[]> {
  const results = await run(session, Object.fromEntries(inputs.map(({ name, ...tensor }) => [name, tensor])))
  return session.outputNames.map((name) => {
    const { type, shape, data } = results[name]!
    return { name, shape, data: type === 'float16' ? floatsOf(data as NumericArray) : data }
  })
}

/** All inputs and outputs as bytes. */
async function binaryAnswer(url: string, inputs: Input[]): Promise<Output[]> {
  const heads = inputs.map(({ name, type, shape, data }) => {
    const parameters = { binary_data_size: data.byteLength }
    return { name, shape, datatype: protocolTypeOf(type), parameters }
  })
  const head = Buffer.from(JSON.stringify({ inputs: heads, parameters: { binary_data_output: true } }))
  const length = { 'inference-header-content-length': String(head.length) }
  const { headers, body } = await call(
    url,
    Buffer.concat([head, ...inputs.map(({ data }) => bytesOfArray(data))]),
    length,
  )
  let at = Number(headers.get('inference-header-content-length'))
  return JSON.parse(body.toString('utf8', 0, at)).outputs.map(({ name, shape, datatype, parameters }: any) => {
    const bytes = body.subarray(at, at + parameters.binary_data_size)
    at += parameters.binary_data_size
    const { data } = tensorOfBytes(name, elementTypeOf(datatype, name), shape, bytes)
    return { name, shape, data }
  })
}

const floatsOf = (bits: NumericArray) => arrayOfBytes('float16', bytesOfArray(bits)) as Float16Array

/** Allows for a different order of addition in a batch, and for the precision of float16. */
function expectNear(actual: Output[], expected: Output[]): void {
  expect(actual.map(({ name, shape }) => ({ name, shape }))).toEqual(
    expected.map(({ name, shape }) => ({ name, shape })),
  )
  for (const [k, { data }] of expected.entries()) {
    for (let i = 0; i < data.length; i++) {
      const [value, wanted] = [actual[k]!.data[i], data[i]]
      if (typeof wanted === 'number') expect(value).toBeCloseTo(wanted, 2)
      else expect(value).toBe(wanted)
    }
  }
}
