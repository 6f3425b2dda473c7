import { expect, onTestFinished, test } from 'vitest'
import { parseTime } from './params.ts'

const noon = Date.UTC(2026, 10, 21, 12)

test("a time does not depend on the server's time zone", () => {
  const { TZ } = process.env
  process.env.TZ = 'America/New_York'
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  const spelled = [
    '2026-11-21T12:00:00Z',
    '2026-11-21T12:00',
    '2026-11-21T12:00:00.000000',
    '2026-11-21T13:00:00+01:00',
  ]
  expect(spelled.map((text) => parseTime('from', text))).toEqual(spelled.map(() => noon))
  expect(parseTime('from', '2026-11-21')).toBe(Date.UTC(2026, 10, 21))
})

test('a plus sign that a client did not encode is understood', () => {
  expect(parseTime('from', '2026-11-21T13:00:00 01:00')).toBe(noon)
})

test.each([
  '5',
  'yesterday',
  '2026',
  'Nov 21 2026',
  '2026-11-21T25:00Z',
  '1969-12-31',
  '2026-02-30',
  '2026-02-30T08:00Z',
  '',
])('%j is refused with an example', (text) => {
  expect(() => parseTime('from', text)).toThrow(`from: expected a time such as 2026-11-21T08:00:00Z, got ${text}`)
})
