import { describe, expect, test } from 'vitest'
import { quoteLongIntegers, shortestFloat32 } from './json-number.ts'

describe('shortestFloat32', () => {
  test('reads back as the same float32, whatever its bits', () => {
    const bits = new Uint32Array(1)
    const value = new Float32Array(bits.buffer)
    // every exponent, and mantissas in steps coprime to 2^23
    for (let exponent = 0; exponent < 255; exponent++) {
      for (let i = 0; i < 200; i++) {
        bits[0] = ((i & 1) << 31) | (exponent << 23) | ((i * 4_194_301) & 0x7fffff)
        const text = JSON.stringify(shortestFloat32(value[0]!))
        expect(Object.is(Math.fround(Number(text)), value[0]) || value[0] === 0, text).toBe(true)
        expect(text.replace(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '').length, text).toBeLessThanOrEqual(
          Number.isSafeInteger(value[0]) ? 16 : 9,
        )
      }
    }
  })

  test('is the short number a person would write', () => {
    for (const value of [0.1, 0.3, 1e-7, 3.4e38, 1e-20, 16777216, -2.5, 123456.7]) {
      expect(shortestFloat32(Math.fround(value))).toBe(value)
    }
    expect(shortestFloat32(Number.NaN)).toBeNaN()
    expect(shortestFloat32(Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY)
  })
})

test('only long whole numbers are quoted, and never digits inside strings', () => {
  const text =
    '{"a,9007199254740993,":"[-9007199254740993]","\\"":"\\\\","b":[9007199254740993,-9007199254740993 , 12,\n' +
    '0.12345678901234567,1e-9007199254740993,12345678901234567e2,12345678901234567.5]}'
  expect(quoteLongIntegers(text)).toBe(
    text.replace(':[9007199254740993,-9007199254740993 ', ':["9007199254740993","-9007199254740993" '),
  )
  expect(JSON.parse(quoteLongIntegers('[9007199254740993]'))).toEqual(['9007199254740993'])
})

test('strings of megabytes are skipped as well', () => {
  const long = `"${'x'.repeat(10_000_000)}"`
  expect(quoteLongIntegers(`[${long},9007199254740993]`)).toBe(`[${long},"9007199254740993"]`)
})
