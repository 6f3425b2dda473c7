import { expect, test } from 'vitest'
import { noneWords } from './none-words.ts'

test('answers that nobody could compare are not called the same', () => {
  expect(noneWords([{ comparison: 'skipped' }, { comparison: 'skipped' }])).toBe(
    'None: no answers were compared so far.',
  )
  expect(noneWords([{ comparison: 'skipped' }, { comparison: 'compared' }])).toBe(
    'None: all answers that could be compared are the same so far.',
  )
})
