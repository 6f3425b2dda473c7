import { expect, test } from 'vitest'
import { bodyCharsMax, directionParts, prettyBody } from './pretty-body.ts'

test('a body is indented, and shows every integer as it was sent', () => {
  expect(prettyBody('{"id":9007199254740993,"of":[1,\n9007199254740995],"n":1.50}').text).toBe(
    '{\n  "id": 9007199254740993,\n  "of": [1, 9007199254740995],\n  "n": 1.5\n}',
  )
})

test('long strings are cut and show their length, and text that is not JSON stays as it is', () => {
  expect(prettyBody(JSON.stringify({ picture: 'a'.repeat(1234) })).text).toContain('aaa… (1,234 characters)"')
  expect(prettyBody('<p>no JSON</p>')).toEqual({ text: '<p>no JSON</p>', more: 0 })
  expect(prettyBody('x'.repeat(bodyCharsMax + 7)).more).toBe(7)
})

test('strings that may be written from right to left are parts of their own', () => {
  expect(directionParts('{\n  "مرحبا": 0.02,\n  "say \\"שלום\\"": ["a", "b"]\n}')).toEqual([
    '{\n  ',
    '"مرحبا"',
    ': 0.02,\n  ',
    '"say \\"שלום\\""',
    ': ["a", "b"]\n}',
  ])
  expect(directionParts('{"a": "b"}')).toEqual(['{"a": "b"}'])
  expect(directionParts('')).toEqual([])
})

test('a long text without an end to its string is read once', () => {
  expect(directionParts(`"${'é\\'.repeat(bodyCharsMax)}`)).toHaveLength(1)
})
