import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyExternalModel } from '../testing/external-model.ts'
import { testModel } from '../testing/start-test-server.ts'
import { digestModel, externalDataProblems } from './external-data.ts'
import { type ModelFile, readModelFile } from './model-file.ts'
import { attribute, dataTypes, entry, functionNode, graph, model, node, tensor } from './onnx-fields.ts'
import { bytesField, intField, message, textField } from './protobuf-fields.ts'

const nodeOf = (operator: string, inputs: readonly string[], ...attributes: Uint8Array[]) =>
  message([
    ...inputs.map((input) => textField(node.input, input)),
    textField(node.output, 'y'),
    textField(node.opType, operator),
    ...attributes.map((own) => bytesField(node.attribute, own)),
  ])
const tensorOf = (name: string, type: number, values: readonly number[], ...more: Uint8Array[]) =>
  message([
    intField(tensor.dims, values.length),
    intField(tensor.dataType, type),
    textField(tensor.name, name),
    bytesField(tensor.rawData, Uint8Array.from(values)),
    ...more,
  ])
const entryOf = (key: string, value: string) =>
  bytesField(tensor.externalData, message([textField(entry.key, key), textField(entry.value, value)]))
const ofNode = (...parts: Parameters<typeof nodeOf>) => bytesField(graph.node, nodeOf(...parts))
const ofTensor = (...parts: Parameters<typeof tensorOf>) => bytesField(graph.initializer, tensorOf(...parts))

/** What a model of this graph reveals. */
function revealed(ofGraph: readonly Uint8Array[], ...besides: Uint8Array[]): ModelFile {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-model-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'model.onnx'), message([bytesField(model.graph, message(ofGraph)), ...besides]))
  return readModelFile(join(folder, 'model.onnx'))
}

describe('a model file reveals', () => {
  test.each([
    ['sum', { opset: 17, quantization: 'none', int8: null, usesBfloat16: false }],
    ['future-opset', { opset: 99, irVersion: 8 }],
    ['bfloat16', { usesBfloat16: true }],
    ['bfloat16-inside', { usesBfloat16: true }],
    ['dynamic-quantized', { quantization: 'dynamic' }],
    ['qdq-u8s8', { quantization: 'QDQ', int8: 'U8S8' }],
    ['qdq-u8s7', { quantization: 'QDQ', int8: 'U8S7' }],
    ['qdq-u8u8', { quantization: 'QDQ', int8: 'U8U8' }],
  ])('%s', (name, told) => {
    expect(readModelFile(testModel(name))).toMatchObject(told)
  })

  test.each<[string, number, Partial<ModelFile>]>([
    ['DequantizeLinear', 0, { quantization: 'QDQ', int8: 'U8S8' }],
    ['MatMulInteger', 1, { int8: 'U8S8' }],
    ['ConvInteger', 1, { int8: 'U8S8' }],
    ['MatMulIntegerToFloat', 1, { int8: 'U8S8' }],
    ['DynamicQuantizeMatMul', 1, { quantization: 'dynamic', int8: 'U8S8' }],
    ['QLinearConv', 3, { quantization: 'QOperator', int8: 'U8S8' }],
    ['QLinearMatMul', 3, { quantization: 'QOperator', int8: 'U8S8' }],
    ['QGemm', 3, { quantization: 'QOperator', int8: 'U8S8' }],
    ['MatMul', 1, { quantization: 'none', int8: null }],
  ])('the 8-bit weights of %s, its input %i', (operator, position, told) => {
    const inputs = Array.from({ length: 8 }, (_, i) => (i === position ? 'weights' : `other ${i}`))
    const found = revealed([
      ofNode('QuantizeLinear', ['x', 'scale', 'zero']),
      ofNode(operator, inputs),
      ofTensor('zero', dataTypes.uint8, [100]),
      ofTensor('weights', dataTypes.int8, [100, 5]),
    ])
    expect(found).toMatchObject(told)
  })

  test('the weights of an 8-bit convolution, unless a branch may use them otherwise', () => {
    const convolution = [
      ofNode('QLinearConv', ['x', 'x_scale', 'x_zero', 'w', 'w_scale', 'w_zero', 'y_scale', 'y_zero']),
      ofTensor('w', dataTypes.int8, [1, 2, 3]),
      ofTensor('w_zero', dataTypes.int8, [0]),
    ]
    expect(revealed(convolution).int8Convolutions).toMatchObject([{ outputs: 3 }])
    for (const field of [attribute.graph, attribute.graphs]) {
      const branch = bytesField(field, ofNode('DequantizeLinear', ['w', 'w_scale', 'other_zero']))
      expect(revealed([...convolution, ofNode('If', ['yes'], branch)]).int8Convolutions).toEqual([])
    }
  })

  test('what is in constants and functions', () => {
    const constant = (own: Uint8Array) => ofNode('Constant', [], bytesField(attribute.tensor, own))
    const outside = (...place: [string, string][]) =>
      constant(tensorOf('', dataTypes.int8, [], ...place.map(([key, value]) => entryOf(key, value))))
    expect(revealed([constant(tensorOf('', dataTypes.bfloat16, []))])).toMatchObject({ usesBfloat16: true })
    const inOneFile = [
      outside(['location', 'w.data'], ['offset', '4096'], ['length', '8']),
      outside(['location', 'w.data'], ['length', '16']),
    ]
    expect(revealed(inOneFile)).toMatchObject({ usesBfloat16: false, externalData: new Map([['w.data', 4104]]) })
    expect(revealed(inOneFile.slice(1)).externalData.get('w.data')).toBe(16)
    const inside = bytesField(functionNode, nodeOf('DynamicQuantizeLinear', ['x']))
    expect(revealed([], bytesField(model.functions, inside))).toMatchObject({ quantization: 'dynamic' })
  })

  test('where its weights are, and what is wrong with them', () => {
    const path = copyExternalModel()
    const file = readModelFile(path)
    expect([...file.externalData]).toEqual([
      ['external-a.data', 8],
      ['external-b.data', 8],
    ])
    expect(externalDataProblems(path, file)).toEqual([])
    rmSync(join(dirname(path), 'external-a.data'))
    truncateSync(join(dirname(path), 'external-b.data'), 4)
    expect(externalDataProblems(path, file)).toEqual([
      'external-a.data is missing',
      'external-b.data has 4 bytes of at least 8',
    ])
  })

  test('nothing about files elsewhere', () => {
    const file = {
      ...readModelFile(testModel('sum')),
      externalData: new Map([
        ['../passwd', 1],
        ['/etc/passwd', 1],
        ['..weights', 1],
      ]),
    }
    expect(externalDataProblems(testModel('sum'), file)).toEqual([
      '../passwd is not beside the model',
      '/etc/passwd is not beside the model',
      '..weights is missing',
    ])
  })

  test('nothing about files behind a link beside it', () => {
    const path = copyExternalModel()
    const folder = dirname(path)
    const elsewhere = copyExternalModel()
    const linkTo = (target: string) => {
      rmSync(join(folder, 'external-a.data'))
      symlinkSync(target, join(folder, 'external-a.data'))
      return externalDataProblems(path, readModelFile(path))
    }
    expect(linkTo(join(dirname(elsewhere), 'external-a.data'))).toEqual([
      'external-a.data is a link that leads away from the model',
    ])
    expect(linkTo('/dev/zero')).toEqual(['external-a.data is no file'])
    expect(linkTo('external-b.data')).toEqual([])
  })

  test('its weights if it is a link itself, as in a model cache', () => {
    const blobs = dirname(copyExternalModel())
    const folder = mkdtempSync(join(tmpdir(), 'understudy-snapshot-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const file of ['external.onnx', 'external-a.data', 'external-b.data']) {
      symlinkSync(join(blobs, file), join(folder, file))
    }
    const path = join(folder, 'external.onnx')
    expect(externalDataProblems(path, readModelFile(path))).toEqual([])
  })

  test('that it is not a model, whatever it contains', () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-damaged-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'damaged.onnx')
    for (const bytes of ['not a model at all', '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff', '\x3a\x7f\x0a']) {
      writeFileSync(path, bytes, 'latin1')
      expect(() => readModelFile(path), JSON.stringify(bytes)).toThrow(RangeError)
    }
  })
})

test('the digest covers all files in order of their names, and changes with each', async () => {
  const path = copyExternalModel()
  const { externalData } = readModelFile(path)
  const folder = dirname(path)
  const before = await digestModel(path, externalData.keys())
  const [sum] = execFileSync('sh', ['-c', 'cat external.onnx external-a.data external-b.data | sha256sum'], {
    cwd: folder,
    encoding: 'utf8',
  }).split(' ')
  expect(before).toBe(`sha256:${sum}`)
  expect(await digestModel(path, [...externalData.keys()].reverse())).toBe(before)
  writeFileSync(join(folder, 'external-b.data'), Buffer.alloc(8))
  expect(await digestModel(path, externalData.keys())).not.toBe(before)
})
