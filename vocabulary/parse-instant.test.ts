import { expect, test } from 'vitest'
import { parseInstant } from './parse-instant.ts'

test('reads a time that exists', () => {
  expect(parseInstant('2028-02-29T12:00:00.5+01:00')).toBe(Date.UTC(2028, 1, 29, 11, 0, 0, 500))
})

test.each(['2026-02-29', '2026-02-30T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-32T00:00Z'])(
  '%s does not exist',
  (text) => {
    expect(parseInstant(text)).toBeNaN()
  },
)
