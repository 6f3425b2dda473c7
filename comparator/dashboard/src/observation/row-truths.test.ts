import { expect, test } from 'vitest'
import { rowTruths } from './row-truths.ts'

test('a label is of the rows only where it has as many', () => {
  expect(rowTruths({ label: ['cat', null, 'dog'] }, 3)).toEqual(['cat', null, 'dog'])
  expect(rowTruths({ label: ['cat', 'dog'] }, 3)).toBe('misfit')
  expect(rowTruths({ label: 'cat' }, 3)).toBe('misfit')
  expect(rowTruths({ label: 'cat' }, 1)).toEqual(['cat'])
  expect(rowTruths(null, 3)).toEqual([])
})
