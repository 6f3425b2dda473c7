import { expect, test } from 'vitest'
import { isOfValues, rowTruths } from './row-truths.ts'

test('a label applies to the rows only if it has as many', () => {
  expect(rowTruths({ label: ['cat', null, 'dog'] }, 3)).toEqual(['cat', null, 'dog'])
  expect(rowTruths({ label: ['cat', 'dog'] }, 3)).toBe('misfit')
  expect(rowTruths({ label: 'cat' }, 3)).toBe('misfit')
  expect(rowTruths({ label: 'cat' }, 1)).toEqual(['cat'])
  expect(rowTruths(null, 3)).toEqual([])
})

test('a label applies to the values only if it has as many', () => {
  expect(isOfValues({ value: 3 }, 1)).toBe(true)
  expect(isOfValues({ value: [3, null] }, 2)).toBe(true)
  expect(isOfValues({ value: [3, 4], elements: 12 }, 12)).toBe(true)
  expect(isOfValues({ value: [3, 4], elements: 12 }, 2)).toBe(false)
  expect(isOfValues({ value: [3, 4] }, 1)).toBe(false)
  expect(isOfValues({ label: 'cat' }, 1)).toBe(false)
})
