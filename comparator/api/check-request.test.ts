import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { checkRequest } from './check-request.ts'
import { Limit, Query } from './query.ts'

const schema = Query({
  limit: Limit(200, 50, 'entries'),
  live: Type.Boolean({ default: false, description: 'true or false: only those' }),
  slice: Type.Optional(Type.String({ maxLength: 5, description: 'a slice; left out: all traffic' })),
})

const checked = (httpPart: string, given: unknown) =>
  checkRequest({ schema, httpPart, method: 'GET', url: '/' })(given) as {
    value?: unknown
    error?: { message: string; details: unknown }
  }

test('a query is text, whatever it stands for', () => {
  expect(checked('querystring', { limit: '7', live: 'true', slice: '5' }).value).toEqual({
    limit: 7,
    live: true,
    slice: '5',
  })
  expect(checked('querystring', {}).value).toEqual({ limit: 50, live: false })
})

test.each<[object, string]>([
  [{ limit: '0' }, 'limit: expected a whole number from 1 to 200: at most so many entries, got 0'],
  [{ limit: '1.5' }, 'limit: expected a whole number from 1 to 200: at most so many entries, got "1.5"'],
  [{ limit: '' }, 'limit: expected a whole number from 1 to 200: at most so many entries, got ""'],
  [{ limit: ['5', '6'] }, 'limit: expected a whole number from 1 to 200: at most so many entries, got ["5","6"]'],
  [{ live: 'yes' }, 'live: expected true or false: only those, got "yes"'],
  [{ slice: 'class=10' }, 'slice: expected a slice, got "class=10"'],
  [{ slcie: 'class=1' }, 'slcie: expected no such parameter; there are limit, live, slice, got "class=1"'],
])('of a query, %j is refused in words', (given, message) => {
  expect(checked('querystring', given).error?.message).toBe(message)
})

test('a body is taken as it is, and null is as good as nothing', () => {
  expect(checked('body', { limit: 7, live: null, slice: null }).value).toEqual({ limit: 7, live: false })
  expect(checked('body', { limit: '7' }).error?.details).toEqual([
    { in: 'body', path: 'limit', expected: 'a whole number from 1 to 200: at most so many entries' },
  ])
  expect(checked('body', null).error?.message).toBe('the body: expected an object')
})
