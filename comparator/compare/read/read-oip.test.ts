import { describe, expect, test } from 'vitest'
import type { ClassificationMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { Answered } from '../../../vocabulary/outcome.ts'
import { answeredWith, compareOutcomes, problemOf } from '../compare.fixture.ts'
import { readOip } from './read-oip.ts'

const tensor = (name: string, datatype: string, shape: number[], data: unknown) => ({ name, datatype, shape, data })
const response = (...outputs: object[]) => ({ model_name: 'm', outputs })

/** A response with binary tensors, as Triton sends it. */
function binary(
  outputs: { name: string; datatype: string; shape: number[]; bytes: Buffer }[],
  header = true,
): Answered {
  const json = Buffer.from(
    JSON.stringify({
      // a brace in a string does not end the JSON
      model_name: 'm"}{',
      outputs: outputs.map(({ bytes, ...output }) => ({ ...output, parameters: { binary_data_size: bytes.length } })),
    }),
  )
  const body = Buffer.concat([json, ...outputs.map(({ bytes }) => bytes)])
  const headers: Record<string, string> = header ? { 'Inference-Header-Content-Length': String(json.length) } : {}
  return answeredWith(body.toString('base64'), { bodyEncoding: 'base64', headers })
}
const floats = (...values: number[]) => Buffer.from(new Float32Array(values).buffer)
const documentOf = (outcome: Answered) => {
  const read = readOip(outcome)
  return read.kind === 'document' ? read.document : read
}

describe('an Open Inference Protocol response', () => {
  test('becomes an object of its outputs by name, each in its shape', () => {
    const flat = answeredWith(
      response(tensor('p', 'FP32', [1, 2, 2], [1, 2, 3, 4]), tensor('l', 'BYTES', [1], ['cat'])),
    )
    expect(documentOf(flat)).toEqual({
      p: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
      l: ['cat'],
    })
    const nested = answeredWith(
      response(
        tensor(
          'p',
          'FP32',
          [2, 2],
          [
            [1, 2],
            [3, 4],
          ],
        ),
      ),
    )
    expect(documentOf(nested)).toEqual({
      p: [
        [1, 2],
        [3, 4],
      ],
    })
    expect(documentOf(answeredWith(response(tensor('n', 'INT64', [0, 4], []))))).toEqual({ n: [] })
  })

  test.each([true, false])('has its binary tensors after the JSON (with the length header: %s)', (header) => {
    const words = Buffer.concat([Buffer.from([3, 0, 0, 0]), Buffer.from('cat'), Buffer.from([0, 0, 0, 0])])
    const outcome = binary(
      [
        { name: 'p', datatype: 'FP32', shape: [1, 2], bytes: floats(0.25, -2) },
        { name: 'w', datatype: 'BYTES', shape: [2], bytes: words },
        { name: 'i', datatype: 'INT64', shape: [1], bytes: Buffer.from(new BigInt64Array([-7n]).buffer) },
        { name: 'h', datatype: 'FP16', shape: [1], bytes: Buffer.from([0x00, 0x3e]) },
        { name: 'b', datatype: 'BF16', shape: [1], bytes: Buffer.from([0xc0, 0x3f]) },
        { name: 'e', datatype: 'FP32', shape: [0, 4], bytes: Buffer.alloc(0) },
        { name: 't', datatype: 'BOOL', shape: [2], bytes: Buffer.from([1, 0]) },
      ],
      header,
    )
    expect(documentOf(outcome)).toEqual({
      p: [[0.25, -2]],
      w: ['cat', ''],
      i: [-7],
      h: [1.5],
      b: [1.5],
      e: [],
      t: [true, false],
    })
  })

  test.each<[string, number[], number]>([
    ['UINT8', [0xfe], 254],
    ['INT8', [0xfe], -2],
    ['UINT16', [2, 1], 258],
    ['INT16', [0xfe, 0xff], -2],
    ['UINT32', [2, 0, 0, 0x80], 2 ** 31 + 2],
    ['INT32', [0xfe, 0xff, 0xff, 0xff], -2],
    ['UINT64', [2, 1, 0, 0, 0, 0, 0, 0], 258],
    ['FP64', [0, 0, 0, 0, 0, 0, 4, 0xc0], -2.5],
  ])('has binary tensors of %s in the order of bytes that Triton sends', (datatype, bytes, value) => {
    expect(documentOf(binary([{ name: 'n', datatype, shape: [1], bytes: Buffer.from(bytes) }]))).toEqual({ n: [value] })
  })

  test('tells 64-bit labels and fields apart by all digits, in JSON and in binary tensors', () => {
    const label: OutputMapping = { kind: 'classification', protocol: 'oip', label: '/n', topK: 1 }
    const fields: OutputMapping = {
      kind: 'json',
      protocol: 'oip',
      document: '/n',
      ignore: [],
      tolerance: { absolute: 0, relative: 0 },
    }
    const inJson = (id: bigint) =>
      answeredWith(`{"outputs":[{"name":"n","datatype":"UINT64","shape":[1],"data":[${id}]}]}`)
    const inBytes = (datatype: string) => (id: bigint) =>
      binary([{ name: 'n', datatype, shape: [1], bytes: Buffer.from(new BigUint64Array([id]).buffer) }])
    for (const mapping of [label, fields]) {
      for (const answer of [inJson, inBytes('INT64'), inBytes('UINT64')]) {
        const [one, next] = [answer(2n ** 53n + 1n), answer(2n ** 53n)]
        expect(compareOutcomes(mapping, one, one)).toMatchObject({ disagreement: 0 })
        expect(compareOutcomes(mapping, one, next)).toMatchObject({ disagreement: 1 })
      }
    }
    expect(compareOutcomes(label, inJson(7n), inBytes('INT64')(7n))).toMatchObject({ disagreement: 0 })
  })

  /** JSON, then bytes, with the JSON's length in the header. */
  const withLength = (json: string, bytes: Buffer) =>
    answeredWith(Buffer.concat([Buffer.from(json), bytes]).toString('base64'), {
      bodyEncoding: 'base64',
      headers: { 'inference-header-content-length': String(json.length) },
    })
  const inBytes = (name: string, size: number) => ({
    ...{ name, datatype: 'FP32', shape: [1] },
    parameters: { binary_data_size: size },
  })

  test('has JSON of the length in the header, padding included', () => {
    expect(documentOf(withLength(`${JSON.stringify(response(inBytes('p', 4)))}   `, floats(0.5)))).toEqual({ p: [0.5] })
    expect(documentOf(withLength(JSON.stringify(response(tensor('p', 'FP32', [1], [2]))), floats()))).toEqual({
      p: [2],
    })
  })

  test('may have an output in the JSON between two binary ones', () => {
    const outputs = [inBytes('a', 4), tensor('b', 'FP32', [2], [1, 2]), inBytes('c', 4)]
    const found = documentOf(withLength(JSON.stringify(response(...outputs)), floats(0.5, 0.25)))
    expect(found).toEqual({ a: [0.5], b: [1, 2], c: [0.25] })
  })

  test.each([true, false])(
    'has its binary tensors even if delivered as text (with the length header: %s)',
    (header) => {
      const outcome = binary([{ name: 'p', datatype: 'FP32', shape: [2], bytes: Buffer.from('333?f~G@') }], header)
      const body = Buffer.from(outcome.body!, 'base64').toString()
      const text = { ...outcome, body, bodyEncoding: 'utf8' as const }
      expect(documentOf(text)).toEqual({ p: [Math.fround(0.7), Buffer.from('f~G@').readFloatLE()] })
      const { bodyEncoding, ...unnamed } = text
      expect(documentOf(unnamed)).toEqual(documentOf(text))
    },
  )

  test('may be compared with a primary of another protocol', () => {
    const mapping: ClassificationMapping = {
      kind: 'classification',
      labels: ['cat', 'dog'],
      topK: 1,
      primary: { scores: '/predictions' },
      candidate: { protocol: 'oip', scores: '/probabilities' },
    }
    const candidate = binary([{ name: 'probabilities', datatype: 'FP32', shape: [1, 2], bytes: floats(0.25, 0.75) }])
    expect(compareOutcomes(mapping, answeredWith({ predictions: [0.5, 0.75] }), candidate)).toMatchObject({
      kind: 'compared',
      candidate: { label: 'dog', scores: [0.25, 0.75] },
    })
  })

  test('is refused rather than read in part where its last tensor is cut', () => {
    const cut = Buffer.from([9, 0, 0, 0, 0x63])
    expect(documentOf(binary([{ name: 'p', datatype: 'BYTES', shape: [1], bytes: cut }]))).toMatchObject({
      kind: 'problem',
      code: 'shape',
    })
    // what is left is just as much as the shape asks for
    const short = withLength(JSON.stringify(response(inBytes('p', 4), inBytes('q', 8))), floats(0.5, 0.25))
    expect(documentOf(short)).toMatchObject({ kind: 'problem', path: '/outputs/1', expected: '8 bytes of data' })
  })

  test('may have a thousand outputs', () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, i) => tensor(`${i}`, 'FP32', [1], [i]))
    expect(documentOf(answeredWith(response(...numbered(1000))))).toMatchObject({ 0: [0], 999: [999] })
    expect(documentOf(answeredWith(response(...numbered(1001))))).toMatchObject({ kind: 'problem', code: 'format' })
  })

  test('gives its one label or text out of a batch of one', () => {
    const label: OutputMapping = { kind: 'classification', protocol: 'oip', label: '/l', topK: 1 }
    const body = answeredWith(response(tensor('l', 'BYTES', [1, 1], [['cat']])))
    expect(compareOutcomes(label, body, body)).toMatchObject({ kind: 'compared', primary: { label: 'cat' } })
    const text: OutputMapping = { kind: 'text', protocol: 'oip', text: '/l' }
    expect(compareOutcomes(text, body, body)).toMatchObject({ kind: 'compared', disagreement: 0 })
    const boxes: OutputMapping = { kind: 'detection', protocol: 'oip', boxes: '/b', scores: '/s', iouMin: 0.5 }
    const found = answeredWith(
      response(tensor('b', 'FP32', [1, 1, 4], [0, 0, 1, 1]), tensor('s', 'FP32', [1, 1], [0.5])),
    )
    expect(compareOutcomes(boxes, found, found)).toMatchObject({ kind: 'compared', differences: { f1: 1 } })
  })

  test.each<[string, Answered]>([
    ['no outputs', answeredWith({ outputs: 3 })],
    ['null', answeredWith('null')],
    ['another count than its shape', answeredWith(response(tensor('p', 'FP32', [3], [1, 2])))],
    ['a negative shape', answeredWith(response(tensor('p', 'FP32', [-1], [1])))],
    ['a shape that would fill the memory', answeredWith(response(tensor('p', 'FP32', [1e6, 1e6], [1])))],
    ['an unknown datatype', binary([{ name: 'p', datatype: '__proto__', shape: [1], bytes: floats(1) }])],
    [
      'a string that ends beyond the body',
      binary([{ name: 'p', datatype: 'BYTES', shape: [1], bytes: Buffer.from([9, 0, 0, 0]) }]),
    ],
    ['half an element', binary([{ name: 'p', datatype: 'FP32', shape: [1], bytes: Buffer.alloc(3) }])],
    [
      'a header longer than the body',
      answeredWith('e30=', { bodyEncoding: 'base64', headers: { 'inference-header-content-length': '99' } }),
    ],
    ['an empty body', answeredWith('')],
    ['no body', { kind: 'answered', status: 200, totalMs: 1 }],
    ['NaN among the numbers', binary([{ name: 'p', datatype: 'FP32', shape: [1], bytes: floats(Number.NaN) }])],
  ])('with %s is unmapped with a reason', (_, candidate) => {
    const mapping: OutputMapping = { kind: 'regression', protocol: 'oip', value: '/p' }
    const found = compareOutcomes(mapping, answeredWith(response(tensor('p', 'FP32', [1], [1]))), candidate)
    expect(found).toMatchObject({ kind: 'failed', reason: 'unmapped' })
    expect(problemOf(found)?.expected).not.toBe('')
  })
})
