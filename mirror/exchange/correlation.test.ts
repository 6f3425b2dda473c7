import { expect, test } from 'vitest'
import { fieldsOf } from '../http1/fields.ts'
import { correlationFromBody, correlationFromHeaders } from './correlation.ts'

test.each([
  ['the configured header', { header: 'X-Order' }, ['x-request-id', 'r', 'x-order', 'o'], 'o'],
  ['x-request-id where that is missing', { header: 'X-Order' }, ['X-Request-Id', 'r'], 'r'],
  ['x-request-id where that is empty', { header: 'X-Order' }, ['x-order', '', 'x-request-id', 'r'], 'r'],
  ['x-request-id before the body is known', { pointer: '/id' }, ['x-request-id', 'r'], 'r'],
  ['nothing', { header: 'X-Order' }, ['x-other', 'o'], undefined],
])('an id comes from %s', (_where, source, lines, id) => {
  expect(correlationFromHeaders(fieldsOf(lines), source)).toBe(id)
})

test('an id is a text or a number at the pointer itself', () => {
  const body = JSON.stringify({ id: 'a', empty: '', none: null, list: [{ id: 7 }] })
  const found = (pointer: string) => correlationFromBody(body, pointer)
  expect([found('/id'), found('/list/0/id')]).toEqual(['a', '7'])
  for (const pointer of ['/empty', '/none', '/none/id', '/list', '/id/length', '/toString']) {
    expect(found(pointer), pointer).toBe(undefined)
  }
})
