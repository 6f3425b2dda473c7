import { expect, test } from 'vitest'
import { givenApart } from './given-apart.ts'

test('what the candidate leaves out and what it adds have their signs', () => {
  expect(givenApart({ primary: ['beach', 'sea'], candidate: ['sea', 'night'] })).toBe('−beach +night')
  expect(givenApart({ primary: ['sea'], candidate: ['sea'] })).toBe('')
  expect(givenApart({ primary: [], candidate: [] })).toBe('')
})

test('many are counted', () => {
  expect(givenApart({ primary: ['a', 'b', 'c', 'd', 'e', 'f'], candidate: [] })).toBe('−a −b −c −d and 2 more')
})
