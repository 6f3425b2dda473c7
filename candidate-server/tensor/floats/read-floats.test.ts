import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Random } from '../../../test/fuzz/random.ts'
import { flattenNested, shapeOfNested } from '../nested-array.ts'
import { readFloats } from './read-floats.ts'

const read = (text: string, countMax = 1000) => readFloats(Buffer.from(text), countMax)

/** What the general parser makes of the same text. */
function parsed(text: string) {
  const value = JSON.parse(text) as unknown
  const shape = shapeOfNested(value)
  return { shape, data: Float32Array.from(flattenNested('x', value, shape) as number[]) }
}

describe('numbers read from JSON bytes', () => {
  test.each([
    '[1]',
    '[0, -0, 0.0, -0.5e0]',
    '[[1.5, 2], [3, 4]]',
    ' [ [[1],[2]] ,\n\t[[3],[4]] ]\r\n',
    '[1e5, 1E5, 1e+05, 1e-05, 12.5e-3, 0e99]',
    '[3.4028234663852886e38, 1e-45, 1.4e-46, 1e-400]',
    // midpoints of two float32, rounded to a double first, as JSON.parse does
    '[1.000000059604644775390625, 1.00000005960464477539062499999, 1.00000005960464477539062500001, 1.0000000596046448]',
    '[16777217, 16777219, 9007199254740993, 112947533826752510, 0.1, 0.30000001192092896]',
    '[123456789012345678901234567890e-30, 0.00000000000000000000000000000000000000000000000000000000000000001]',
  ])('%s are what JSON.parse reads', (text) => {
    const { shape, data } = read(text)!
    expect(shape).toEqual(parsed(text).shape)
    expect(data.every((value, i) => Object.is(value, parsed(text).data[i]))).toBe(true)
  })

  test('may have any digits and exponents', () => {
    const seeded = new Random(7)
    const random = () => seeded.unit()
    const digits = (most: number) =>
      Array.from({ length: 1 + Math.floor(random() * most) }, () => Math.floor(random() * 10)).join('')
    const number = () => {
      const whole = random() < 0.5 ? '0' : `${1 + Math.floor(random() * 9)}${random() < 0.5 ? '' : digits(24)}`
      const fraction = random() < 0.8 ? `.${digits(24)}` : ''
      const exponent = random() < 0.3 ? `e${random() < 0.5 ? '-' : ''}${Math.floor(random() * 40)}` : ''
      return `${random() < 0.3 ? '-' : ''}${whole}${fraction}${exponent}`
    }
    const within = (text: string) => Number.isFinite(Math.fround(Number(text)))
    const texts = Array.from({ length: 50_000 }, number).filter(within)
    const text = `[${texts.join(',')}]`
    const { data } = read(text, texts.length)!
    const wrong = texts.filter((one, i) => !Object.is(data[i], Math.fround(Number(one))))
    expect(wrong).toEqual([])
  })

  test('may be any double as JSON writes it, and any float32', () => {
    const seeded = new Random(11)
    const random = () => seeded.unit()
    const bits = new DataView(new ArrayBuffer(8))
    const double = () => {
      bits.setUint32(0, random() * 2 ** 32)
      bits.setUint32(4, random() * 2 ** 32)
      return bits.getFloat64(0)
    }
    const float = () => {
      double()
      return bits.getFloat32(0)
    }
    const values = Array.from({ length: 50_000 }, (_, i) => (i % 2 ? double() : float()))
    const finite = values.filter((value) => Number.isFinite(Math.fround(value)))
    const { data } = read(JSON.stringify(finite), finite.length)!
    expect(data).toEqual(Float32Array.from(finite))
  })

  test.each([
    '',
    '[',
    '[]',
    '[[]]',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1]]',
    '[1] 2',
    '[[1],[2]',
    '[[1],[2,3]]',
    '[[1],2]',
    '[1,[2]]',
    '[[1],[[2]]]',
    '[[[1]],[2]]',
    '[01]',
    '[1.]',
    '[.5]',
    '[+1]',
    '[-]',
    '[1e]',
    '[1e+]',
    '[--1]',
    '[1 2]',
    '[1;2]',
    '["1"]',
    '[null]',
    '[true]',
    '[NaN]',
    '[1e39]',
    '[3.5e38]',
    '[1e999]',
    '{"x": [1]}',
    '1',
    '\ufeff[1]',
    '[1]\0',
    '['.repeat(40) + ']'.repeat(40),
    `${'['.repeat(33)}1${']'.repeat(33)}`,
  ])('that are %j are left to JSON.parse', (text) => {
    expect(read(text)).toBeUndefined()
  })

  test('beyond the requested count are left to JSON.parse', () => {
    expect(read('[1,2,3]', 3)?.data).toEqual(new Float32Array([1, 2, 3]))
    expect(read('[1,2,3]', 2)).toBeUndefined()
  })

  test('hold no memory beyond their own', () => {
    const { data } = read(`[1,2,3${' '.repeat(1_000_000)}]`, 500_000)!
    expect(data).toEqual(new Float32Array([1, 2, 3]))
    // from Node's pool
    expect(data.buffer.byteLength).toBeLessThan(100_000)
  })

  test('may be cut short anywhere without reading beyond the end', () => {
    const text = '[[1.25e-1, -2], [3, 4.5]]'
    const whole = Buffer.from(`${text}]]]]9999`)
    for (let length = 0; length < text.length; length++) {
      expect(readFloats(whole.subarray(0, length), 9)).toBeUndefined()
    }
    expect(readFloats(whole.subarray(0, text.length), 9)?.data).toEqual(new Float32Array([0.125, -2, 3, 4.5]))
  })

  test('are not disturbed by earlier reads, even ones larger than the kept memory', () => {
    const large = Array.from({ length: 2_000_000 }, (_, i) => i % 1000)
    expect(read(JSON.stringify(large), large.length)?.data).toEqual(Float32Array.from(large))
    expect(read('[[1],[2]]')).toEqual({ shape: [2, 1], data: new Float32Array([1, 2]) })
    expect(read('[[1],[2')).toBeUndefined()
    expect(read('[3]')).toEqual({ shape: [1], data: new Float32Array([3]) })
  })
})

test('floats.wasm was compiled from the current assembly.ts', () => {
  const file = (name: string) => readFileSync(join(import.meta.dirname, name))
  const { Module } = (globalThis as any).WebAssembly
  const [section] = Module.customSections(new Module(file('floats.wasm')), 'source sha256')
  const sha256 = createHash('sha256').update(file('assembly.ts')).digest('hex')
  expect(Buffer.from(section).toString('hex'), 'run candidate-server/tensor/floats/compile.ts').toBe(sha256)
})
