import { describe, expect, test } from 'vitest'
import type { ApiError } from '../../runtime/api-error.ts'
import type { ModelInfo } from '../tensor/model-info.ts'
import { parseInferRequest, parseJsonBytes } from './infer-request.ts'

const info: ModelInfo = {
  inputs: [{ name: 'x', type: 'float32', shape: [-1, 2] }],
  outputs: [{ name: 'y', type: 'float32', shape: [-1, 1] }],
  batch: { kind: 'dynamic' },
}
const head = (more: object = {}) =>
  JSON.stringify({
    inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 2], parameters: { binary_data_size: 8 } }],
    ...more,
  })
const ask = (json: string, values: number[]) => {
  const body = Buffer.concat([Buffer.from(json), Buffer.from(Float32Array.from(values).buffer)])
  return parseInferRequest(body, json.length, info)
}

describe('requests that repeat the previous JSON', () => {
  test('have data of their own', () => {
    const all = [
      [1, 2],
      [3, 4],
      [5, 6],
    ].map((values) => ask(head(), values))
    expect(all.map(({ inputs }) => [...(inputs.x!.data as Float32Array)])).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ])
  })

  test('are refused only because of their data', () => {
    ask(head(), [1, 2])
    expect(() => ask(head(), [1])).toThrow('expected at most the 4 bytes of binary data that are left, got 8')
    expect(() => ask(head(), [1, 2, 3])).toThrow('expected 8 bytes of binary data after the JSON')
    expect(ask(head(), [7, 8]).inputs.x!.data).toEqual(new Float32Array([7, 8]))
  })

  test('are not treated as repeats if a byte differs', () => {
    ask(head({ id: 'a' }), [1, 2])
    const other = ask(head({ id: 'b', parameters: { priority: 1 }, outputs: [{ name: 'y' }] }), [1, 2])
    expect(other).toMatchObject({ id: 'b', parameters: { priority: 1 }, outputs: [{ name: 'y', binary: false }] })
    expect(ask(head({ id: 'a' }), [1, 2])).toMatchObject({ id: 'a', parameters: {} })
    expect(() => ask(head().replace('FP32', 'FP64').replace('8', '4'), [1])).toThrow()
  })

  test('are compared with the bytes that were sent, even if that memory has been reused', () => {
    const [one, other] = [Buffer.from(head({ id: 'a' })), Buffer.from(head({ id: 'b' }))]
    const body = Buffer.concat([one, Buffer.alloc(8)])
    parseInferRequest(body, one.length, info)
    other.copy(body)
    expect(ask(String(other), [1, 2]).id).toBe('b')
  })
})

test('the JSON may be the whole body, declared or not', () => {
  const body = Buffer.from('{}')
  expect([parseJsonBytes(undefined, body), parseJsonBytes('2', body)]).toEqual([undefined, 2])
})

test('data of a type that the model does not take is not read', () => {
  const json = JSON.stringify({
    inputs: [{ name: 'x', datatype: 'BYTES', shape: [1, 2], parameters: { binary_data_size: 8 } }],
  })
  expect(() => ask(json, [Number.NaN, Number.NaN])).toThrow('input x: expected FP32, got BYTES')
})

describe('numbers in JSON', () => {
  const two: ModelInfo = {
    inputs: [
      { name: 'x', type: 'float32', shape: [-1, 2] },
      { name: 'data', type: 'float32', shape: [-1] },
    ],
    outputs: info.outputs,
    batch: { kind: 'dynamic' },
  }
  const x = (data: string, more = '"name":"x","datatype":"FP32","shape":[1,2]') =>
    `{"inputs":[{${more},"data":${data}},{"name":"data","shape":[1],"datatype":"FP32","data":[7]}]}`
  function outcome(json: string) {
    try {
      return parseInferRequest(Buffer.from(json), undefined, two)
    } catch (error) {
      const { code, message } = error as ApiError
      // JSON.parse's messages contain positions
      return { code, message: code === 'BAD_JSON' ? '' : message }
    }
  }
  test.each([
    x('[1, 2.5]'),
    x('[[1e-3,-0]]'),
    x('[1,2]', '"shape":[1,2],"name":"x","datatype":"FP32"').replaceAll(',"', '\t,\n"'),
    x('[0.30000001192092896,16777217]'),
    `{"id":"data","outputs":[{"name":"y"}],${x('[1,2]').slice(1)}`,
    `{"inputs":[{"data":[1,2],"shape":[1,2],"datatype":"FP32","name":"x"},{"data":[3],"name":"data","shape":[1],"datatype":"FP32"}]}`,
    x('[1,2,3]'),
    x('[[1],[2]]'),
    x('[[1,2],[3]]'),
    x('[]'),
    x('null'),
    x('[1,null]'),
    x('["1","2"]'),
    x('[1,1e39]'),
    x('[1,NaN]'),
    x('[1,2],"data":[3,4]'),
    x('[1,2],"data":null'),
    x('[1,2],"parameters":{"binary_data_size":8}'),
    x('[1,2],"parameters":{"data":[1]}'),
    x('[1,2]', '"name":"x","datatype":"INT32","shape":[1,2]'),
    x('[1,2]', '"name":"x","datatype":"FP64","shape":[1,2]'),
    x('[1,2]', '"name":"z","datatype":"FP32","shape":[1,2]'),
    x('[1,2]', '"name":"x","datatype":"FP32"'),
    x('[1,2]', '"name":"data","datatype":"FP32","shape":[2]'),
    `{"data":[5,6],${x('null').slice(1)}`,
    `{"inputs":[{"data":[9]}],${x('[1,2]').slice(1)}`,
    `${x('[1,2]')},`,
    x('[1,2]').slice(0, -1),
    x('[1,2]').replace('"x"', '"\u0001"'),
    x('[1,2]').replace('"data":', '"data"\u0001:'),
  ])('%s are what JSON.parse makes of them, errors included', (json) => {
    // an escape makes it parse the whole JSON
    const whole = outcome(json.replace('{', '{"\\u0041":0,'))
    expect(outcome(json)).toEqual(whole)
  })
})

describe('null means omitted, as clients with a schema write it', () => {
  const asked = { id: null, parameters: { content_type: null, binary_data_output: null }, outputs: null }
  const x = { name: 'x', datatype: 'FP32', shape: [1, 2] }
  const expected = {
    id: undefined,
    parameters: {},
    inputs: { x: { data: Float32Array.of(1, 2) } },
    outputs: [{ name: 'y', binary: false, classes: 0 }],
  }
  const parse = (document: unknown, binary = Buffer.alloc(0)) => {
    const json = Buffer.from(JSON.stringify(document))
    return parseInferRequest(Buffer.concat([json, binary]), json.length, info)
  }

  test('in the request and in its outputs', () => {
    const inputs = [{ ...x, parameters: null, data: [1, 2] }]
    const outputs = [{ name: 'y', parameters: null }]
    for (const own of [{}, { outputs }, { outputs: [] }, { parameters: null }]) {
      expect(parse({ ...asked, inputs, ...own })).toMatchObject(expected)
    }
  })

  test('in parameters, and as data beside binary data', () => {
    const json = { ...x, parameters: { binary_data_size: null, headers: null }, data: [1, 2] }
    expect(parse({ ...asked, inputs: [json] })).toMatchObject(expected)
    const binary = { ...x, parameters: { binary_data_size: 8 }, data: null }
    const bytes = Buffer.from(Float32Array.of(1, 2).buffer)
    expect(parse({ ...asked, inputs: [binary] }, bytes)).toMatchObject(expected)
  })
})
