import { describe, expect, test } from 'vitest'
import { testModel } from '../testing/start-test-server.ts'
import { readModelFile } from './model-file.ts'
import { modelForCpu, rewritingsOf } from './model-for-cpu.ts'

const everything = ['avx512_vnni', 'amx_int8']

describe('a file’s rewriting for this CPU', () => {
  test.each([
    ['qdq-convolutions', everything, ['amx']],
    ['qdq-convolutions', ['avx512_vnni'], []],
    ['stem', everything, ['spaceToDepth']],
    ['stem', ['avx_vnni'], ['spaceToDepth']],
    ['stem', ['avx2'], []],
    ['sum', everything, []],
  ])('%s, with %j: %j', (name, isa, expected) => {
    expect(rewritingsOf(testModel(name), isa)).toEqual(expected)
  })

  test.each([
    ['qdq-convolutions', { amx: false, spaceToDepth: true }],
    ['stem', { amx: true, spaceToDepth: false }],
  ])('is left out if its switch is off: %s', (name, wanted) => {
    const path = testModel(name)
    expect(modelForCpu(path, readModelFile(path), wanted, everything)).toBeUndefined()
  })

  test('is an error if the file is not a model', () => {
    expect(() => rewritingsOf(testModel('nowhere'))).toThrow('ENOENT')
  })
})
