import { expect, test } from 'vitest'
import { parseExactly } from './parse-exactly.ts'

const parse = (text: string) => parseExactly(text, (digits) => `kept ${digits}`)

test('an integer beyond 2⁵³ becomes what `keep` makes of its digits, wherever it is', () => {
  const text =
    '{"a":9007199254740993,"b":[-12345678901234567890, 9007199254740992\n],"c":9007199254740991,"__proto__":1}'
  expect(parse(text)).toEqual({
    a: 'kept 9007199254740993',
    b: ['kept -12345678901234567890', 'kept 9007199254740992'],
    c: 9007199254740991,
    ['__proto__']: 1,
  })
  expect(parse('9007199254740993')).toBe('kept 9007199254740993')
})

test('everything else is what JSON.parse makes of it', () => {
  for (const text of [
    '[0.12345678901234567,1234567890123456.7,1e300,12345678901234567e3]',
    '["9007199254740993, 9007199254740993",null,true,{}]',
    `${'9'.repeat(101)}`,
    `${'['.repeat(100_000)}9007199254740993${']'.repeat(100_000)}`,
  ]) {
    // deeper than toEqual goes
    const [found, expected] = [parse(text), JSON.parse(text)]
    if (text.length < 1000) expect(found).toEqual(expected)
    else expect((found as unknown[]).length).toBe(1)
  }
  expect(() => parse('[9007199254740993')).toThrow(SyntaxError)
  expect(() => parse(`${'1'.repeat(15_000_000)}x`)).toThrow(SyntaxError)
})
