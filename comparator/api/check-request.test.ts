import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { checkRequest } from './check-request.ts'
import { Serial } from './params.ts'
import { Limit, Query } from './query.ts'

const schema = Query({
  limit: Limit(200, 50, 'entries'),
  live: Type.Boolean({ default: false, description: 'true or false: only those' }),
  slice: Type.Optional(Type.String({ maxLength: 5, description: 'a slice; left out: all traffic' })),
  format: Type.Optional(Type.Enum(['json', 'html'], { description: 'left out: JSON' })),
})

const checked = (httpPart: string, given: unknown) =>
  checkRequest({ schema, httpPart, method: 'GET', url: '/' })(given) as {
    value?: unknown
    error?: { message: string; details: unknown }
  }

test('query parameters are parsed from text by the types of their schema', () => {
  expect(checked('querystring', { limit: '7', live: 'true', slice: '5' }).value).toEqual({
    limit: 7,
    live: true,
    slice: '5',
  })
  expect(checked('querystring', {}).value).toEqual({ limit: 50, live: false })
})

test('a serial is accepted up to the largest safe integer', () => {
  const serials = Query({ after: Serial('the id of an entry') })
  const read = (after: string) =>
    checkRequest({ schema: serials, httpPart: 'querystring', method: 'GET', url: '/' })({ after })
  expect(read('9007199254740991')).toEqual({ value: { after: Number.MAX_SAFE_INTEGER } })
  for (const over of ['9007199254740992', '9999999999999999', '99999999999999999']) {
    expect(read(over)).toHaveProperty('error')
  }
})

test.each<[object, string]>([
  [{ limit: '0' }, 'limit: expected a whole number from 1 to 200: at most so many entries, got 0'],
  [{ limit: '1.5' }, 'limit: expected a whole number from 1 to 200: at most so many entries, got "1.5"'],
  [{ limit: '' }, 'limit: expected a whole number from 1 to 200: at most so many entries, got ""'],
  [{ limit: ['5', '6'] }, 'limit: expected a whole number from 1 to 200: at most so many entries, got ["5","6"]'],
  [{ live: 'yes' }, 'live: expected true or false: only those, got "yes"'],
  [{ slice: 'class=10' }, 'slice: expected a slice, got "class=10"'],
  [{ slcie: 'class=1' }, 'slcie: expected no such parameter; there are limit, live, slice, format, got "class=1"'],
  [{ format: 'pdf' }, 'format: expected one of json, html, got "pdf"'],
])('the query %j is refused with a readable message', (given, message) => {
  expect(checked('querystring', given).error?.message).toBe(message)
})

test('a body is not converted, and a null member counts as absent', () => {
  expect(checked('body', { limit: 7, live: null, slice: null }).value).toEqual({ limit: 7, live: false })
  expect(checked('body', { limit: '7' }).error?.details).toEqual([
    { in: 'body', path: 'limit', expected: 'a whole number from 1 to 200: at most so many entries' },
  ])
  expect(checked('body', null).error?.message).toBe(
    'the body: expected an object with the keys limit, live, slice, format',
  )
})

test('of very many problems, the first are listed and the rest are counted', () => {
  const parameters = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`x${i}`, '']))
  const { message, details } = checked('querystring', parameters).error!
  expect(message).toMatch(/^x0: expected no such parameter; .*; x19: [^;]*; [^;]*; and at least 980 more$/)
  expect(details).toHaveLength(20)
  expect(checked('body', { ['x'.repeat(1e6)]: 1 }).error?.message.length).toBeLessThan(200)
})

test('an unknown member of a body is called a member, and a query without parameters is said to have none', () => {
  expect(checked('body', { limti: 5 }).error?.message).toBe(
    'limti: expected no such member; there are limit, live, slice, format',
  )
  const none = checkRequest({ schema: Query({}), httpPart: 'querystring', method: 'GET', url: '/' })({ x: '1' })
  expect(none).toMatchObject({ error: { message: 'x: expected no such parameter; there are none, got "1"' } })
})
