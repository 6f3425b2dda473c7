import { expect, test } from 'vitest'
import { ByteBudget } from '../capture/byte-budget.ts'
import { type Fields, field } from '../http1/fields.ts'
import { SetAside } from './set-aside.ts'

function setAside(method: string, fields: Fields, body: string, isWhole = true) {
  const budget = new ByteBudget(1_000_000)
  const aside = new SetAside(method, { status: 503, reason: 'Full', fields }, budget)
  if (body) aside.add(Buffer.from(body))
  expect(aside.answer, 'before its end').toBe(undefined)
  aside.ended(isWhole)
  const { answer } = aside
  aside.drop()
  expect(budget.held).toBe(0)
  return answer && [answer.fields.map(({ line }) => line), String(answer.body)]
}

const chunked = field('Transfer-Encoding', 'chunked')

test('an answer that came in chunks gets a length', () => {
  expect(setAside('POST', [field('Retry-After', '1'), chunked], 'full')).toEqual([
    ['Retry-After: 1', 'Content-Length: 4'],
    'full',
  ])
})

test('the answer to a HEAD describes the body that a GET would get', () => {
  expect(setAside('HEAD', [field('Content-Length', '5')], '')).toEqual([['Content-Length: 5'], ''])
})

test.each([
  ['broken off', chunked, 'full', false],
  ['coded beneath its chunks', field('Transfer-Encoding', 'gzip, chunked'), 'full', true],
  ['too large', chunked, 'x'.repeat(70_000), true],
])('an answer that is %s is dropped', (_, coding, body, isWhole) => {
  expect(setAside('POST', [coding], body, isWhole)).toBe(undefined)
})
