import { expect, test } from 'vitest'
import { formatAge, formatLargest, formatSpan, formatUtc, formatUtcClock, formatUtcTick } from './time.ts'

test('times are in UTC whatever their original zone', () => {
  expect(formatUtc('2026-11-21T09:31:04.250+01:00')).toBe('2026-11-21 08:31:04\u00a0UTC')
  expect(formatUtcClock('2026-11-21T08:31:04Z')).toBe('08:31:04\u00a0UTC')
})

test('a span has its two largest units', () => {
  expect([0, 999, 41_200, 90_000, 7_500_000, 30 * 86_400_000].map(formatSpan)).toEqual([
    '0\u00a0s',
    '0\u00a0s',
    '41\u00a0s',
    '1\u00a0min 30\u00a0s',
    '2\u00a0h 5\u00a0min',
    '30\u00a0d',
  ])
})

test('an age has one unit, and a future time counts as now', () => {
  expect([-5000, 300, 12_400, 200_000].map(formatAge)).toEqual([
    'just now',
    'just now',
    '12\u00a0s ago',
    '3\u00a0min ago',
  ])
  expect([-5000, 300, 12_400, 740_000, 90_000_000].map(formatLargest)).toEqual([
    '0\u00a0s',
    '0\u00a0s',
    '12\u00a0s',
    '12\u00a0min',
    '1\u00a0d',
  ])
})

test('an axis shows as much as tells its times apart, and from a day on the day', () => {
  const at = new Date('2026-11-21T08:31:04Z')
  expect(
    [40_000, 3_600_000, 86_400_000, 3 * 86_400_000, 30 * 86_400_000].map((span) => formatUtcTick(at, span)),
  ).toEqual(['08:31:04', '08:31', '11-21 08:31', '11-21 08:31', '11-21'])
})
