import { describe, expect, test } from 'vitest'
import { loadCommand } from './load.ts'
import {
  count,
  duration,
  listOf,
  parseShape,
  percentile,
  positiveDuration,
  positiveNumber,
  sha256,
  share,
  targetUrl,
} from './option-values.ts'
import { tuneCommand } from './tune.ts'

test('every default shown in the help is a valid value with the same meaning', () => {
  const shown = [loadCommand(), tuneCommand()]
    .flatMap(({ options }) => options)
    .filter(({ defaultValue }) => defaultValue !== undefined)
  expect(shown.map(({ long }) => long)).toEqual(expect.arrayContaining(['--duration', '--headroom', '--window']))
  for (const { long, parseArg, defaultValue, defaultValueDescription } of shown) {
    const text = defaultValueDescription ?? JSON.stringify(defaultValue)
    expect([long, parseArg!(text, undefined as never)]).toEqual([long, defaultValue])
  }
})

const day = 86_400_000
const hash = '0123456789abcdef'.repeat(4)

describe.each<{
  what: string
  parse: (text: string) => unknown
  values: [string, unknown][]
  expected: string
  refused: string[]
}>([
  {
    what: 'a duration',
    parse: duration,
    values: [
      ['0s', 0],
      ['250ms', 250],
      ['24d', 24 * day],
    ],
    expected: 'expected',
    refused: ['10', '-1s', '25d'],
  },
  {
    what: 'a duration above zero',
    parse: positiveDuration,
    values: [['1ms', 1]],
    expected: 'expected a duration above zero',
    refused: ['0s'],
  },
  {
    what: 'a number above zero',
    parse: positiveNumber,
    values: [
      ['0.5', 0.5],
      ['1.306', 1.306],
    ],
    expected: 'expected a number above zero',
    refused: ['0', '0.0', '-1', '1e3', ''],
  },
  {
    what: 'a count',
    parse: count,
    values: [
      ['1', 1],
      ['999999', 999_999],
    ],
    expected: 'expected a whole number',
    refused: ['0', '1.5', '1000000', '01'],
  },
  {
    what: 'a percentile',
    parse: percentile,
    values: [
      ['99', 99],
      ['99.9', 99.9],
      ['0.5', 0.5],
    ],
    expected: 'expected a number between 0 and 100',
    refused: ['0', '100', 'p99', '1e1', '-1'],
  },
  {
    what: 'a hash',
    parse: sha256,
    values: [[hash, hash]],
    expected: 'expected a SHA-256',
    refused: [hash.toUpperCase(), hash.slice(1), `${hash}0`],
  },
  {
    what: 'a share',
    parse: share,
    values: [
      ['0%', 0],
      ['30%', 0.3],
      ['99.5%', 0.995],
    ],
    expected: 'expected a share',
    refused: ['100%', '0.3', '-1%'],
  },
  {
    what: 'a URL',
    parse: (text) => targetUrl(text).href,
    values: [['https://models.example:8443/base', 'https://models.example:8443/base']],
    expected: 'expected a URL',
    refused: ['models.example', 'ftp://models.example', 'http://h/?a=1', 'http://h/#a', 'http://u@h/', 'http://:p@h/'],
  },
  {
    what: 'a shape',
    parse: parseShape,
    values: [
      ['image=1x3x224x224', ['image', [1, 3, 224, 224]]],
      ['a=b=8', ['a=b', [8]]],
    ],
    expected: 'expected NAME=SIZE',
    refused: ['image', 'image=', 'image=1x0', '=1', 'image=1x'],
  },
  {
    what: 'a list of counts',
    parse: listOf(count),
    values: [['1, 2,4', [1, 2, 4]]],
    expected: 'expected a whole number',
    refused: ['1,,2', ''],
  },
])('$what', ({ parse, values, expected, refused }) => {
  test.each(values)('may be %j', (text, value) => expect(parse(text)).toEqual(value))
  test.each(refused)('is not %j, and the error says what was expected', (text) => {
    expect(() => parse(text)).toThrow(expected)
  })
})
