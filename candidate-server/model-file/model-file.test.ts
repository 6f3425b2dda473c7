import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyExternalModel } from '../testing/external-model.ts'
import { testModel } from '../testing/start-test-server.ts'
import { digestModel, externalDataProblems } from './external-data.ts'
import { readModelFile } from './model-file.ts'

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
