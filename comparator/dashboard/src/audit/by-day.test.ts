import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../../vocabulary/api/audit.ts'
import { byDay, dayTitle } from './by-day.ts'

test('entries are grouped by UTC day, in their order', () => {
  const entries = ['2026-11-21T00:00:01Z', '2026-11-20T23:59:59Z', '2026-11-20T08:00:00Z'].map(
    (at, id) => ({ at, id }) as AuditEntry,
  )
  expect(byDay(entries).map(({ day, entries }) => [day, entries.length])).toEqual([
    ['2026-11-21', 1],
    ['2026-11-20', 2],
  ])
  const now = Date.parse('2026-11-21T23:59:00Z')
  expect(dayTitle('2026-11-21', now)).toBe('Today, Saturday, 21 November 2026')
  expect(dayTitle('2026-11-20', now)).toMatch(/^Yesterday, Friday,/)
  expect(dayTitle('2026-11-19', now)).toMatch(/^Thursday/)
})
