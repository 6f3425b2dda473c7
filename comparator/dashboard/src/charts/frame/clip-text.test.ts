import { expect, test } from 'vitest'
import { clipText } from './clip-text.ts'

test('a long name keeps its beginning and its end', () => {
  expect(clipText('species 05', 10)).toBe('species 05')
  expect(clipText('species 05', 7)).toBe('spe… 05')
  expect(clipText('species 05', 2)).toBe('s…')
  expect([...clipText('😀😀😀😀', 3)]).toEqual(['😀', '…', '😀'])
})
