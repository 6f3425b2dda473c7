import { expect, test } from 'vitest'
import { givenApart, givenNames } from './given-apart.ts'

const some = (...labels: string[]) => ({ count: labels.length, labels })

test('what the candidate leaves out and what it adds have signs', () => {
  expect(givenApart({ missing: some('beach'), added: some('night') })).toBe('−beach +night')
  expect(givenApart({ missing: some(), added: some() })).toBe('')
})

test('a long list is counted, including labels that are not named', () => {
  expect(givenApart({ missing: some('a', 'b', 'c', 'd', 'e', 'f'), added: some() })).toBe('−a −b −c −d and 2 more')
  expect(givenApart({ missing: { count: 1200, labels: ['a', 'b', 'c', 'd'] }, added: some('e') })).toBe(
    '−a −b −c −d and 1,197 more',
  )
})

test('the labels a side gives are named, or said to be none', () => {
  expect(givenNames(some('beach', 'sea'))).toBe('beach, sea')
  expect(givenNames(some())).toBe('none')
})
