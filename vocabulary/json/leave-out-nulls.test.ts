import { expect, test } from 'vitest'
import { leaveOutNulls } from './leave-out-nulls.ts'

test('nulls are left out, down to the depth of headers in an observation', () => {
  const given = { a: null, b: { c: null, d: { e: null, f: { g: null } } }, h: [null] }
  expect(leaveOutNulls(given)).toEqual({ b: { d: { f: { g: null } } }, h: [null] })
})

test.each([
  ['bytes', new Uint8Array(3)],
  ['a time', new Date(0)],
  ['a list', [null]],
  ['a text', 'text'],
])('%s: alone or as a member, it comes back unchanged', (_, given) => {
  expect(leaveOutNulls(given)).toBe(given)
  expect(leaveOutNulls({ given }).given).toBe(given)
})
