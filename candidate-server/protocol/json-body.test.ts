import { expect, test } from 'vitest'
import { parseJson } from './json-body.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const filler = ' '.repeat(70_000)

test('brackets in strings are not nesting, however they are escaped', () => {
  const brackets = '['.repeat(100)
  for (const text of [brackets, `\\"${brackets}`, `\\\\\\"${brackets}`, `${brackets}\\\\`, `\\u0022${brackets}`]) {
    const document = `{"a":"${text}","b":[[1]],"c":"]]"}${filler}`
    expect(parseJson(bytes(document))).toEqual(JSON.parse(document))
  }
})

test('brackets outside strings are, even after a string that ends in backslashes', () => {
  for (const text of ['', '"a",', '"\\\\",', '"\\"",', '"\\\\\\\\",'])
    expect(() => parseJson(bytes(`[${text}${'['.repeat(64)}${']'.repeat(65)}${filler}`))).toThrow('at most 64 deep')
  const deepest = `${'['.repeat(64)}${']'.repeat(64)}${filler}`
  const wide = `[${new Array(100).fill('[{}]')}]${filler}`
  for (const document of [deepest, wide]) expect(parseJson(bytes(document))).toEqual(JSON.parse(document))
})

test.each(['NaN', 'Infinity', '-Infinity'])('%s, as Python writes it, is to be sent as binary data', (number) => {
  const beside = new Array(100).fill(0)
  expect(() => parseJson(bytes(`[${[number, ...beside]}]`))).toThrow('send them as binary data')
  expect(() => parseJson(bytes(`{"data": [1, ${number}]}`))).toThrow('send them as binary data')
})

test('of a number that is only misspelt, nothing is said about infinity', () => {
  expect(() => parseJson(bytes('[-.5]'))).toThrow(/minus sign in JSON at position 2 [^;]*$/)
})

test('an unterminated string, invalid UTF-8 and an empty body are reported', () => {
  expect(() => parseJson(bytes(`["a${filler}`))).toThrow('expected a JSON body')
  expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow('expected a JSON body')
  expect(() => parseJson(bytes(filler))).toThrow('expected a JSON body')
})
