import { expect, test } from 'vitest'
import type { WindowView } from '../../../../vocabulary/api/gate.ts'
import { comparesNothing, standstillOf } from './standstill.ts'

const at = (time: string) => `2026-11-21T${time}:00.000Z`
const arriving = { quietSince: null, lastSeenAt: at('10:00'), mirror: null }
const exchanges = { seen: 100, compared: 90, skipped: { shed: 10 } }

test('the evidence stands still where nothing arrives, and where nothing that arrives is compared', () => {
  expect(
    standstillOf({ exchanges, arriving: { ...arriving, quietSince: at('09:00') }, lastObservationAt: at('09:00') }),
  ).toBe('nothing is arriving')
  expect(standstillOf({ exchanges, arriving, lastObservationAt: at('09:54') })).toBe(
    'nothing since 2026-11-21 09:54:00\u00a0UTC has been compared',
  )
})

test('it does not where exchanges are rare, on their way, or not there yet', () => {
  expect(standstillOf({ exchanges, arriving, lastObservationAt: at('10:00') })).toBeNull()
  expect(standstillOf({ exchanges, arriving, lastObservationAt: at('09:55') })).toBeNull()
  expect(standstillOf({ exchanges, arriving, lastObservationAt: null })).toBeNull()
  expect(
    standstillOf({ exchanges, arriving: { ...arriving, lastSeenAt: null }, lastObservationAt: at('09:00') }),
  ).toBeNull()
})

test('where one exchange in twenty is sampled, the others are no sign that nothing is compared', () => {
  const sampled = { seen: 100, compared: 5, skipped: { notSampled: 95 } }
  expect(standstillOf({ exchanges: sampled, arriving, lastObservationAt: at('08:20') })).toBeNull()
  expect(standstillOf({ exchanges: sampled, arriving, lastObservationAt: at('08:19') })).not.toBeNull()
})

test('before the first window, twenty exchanges that were all lost show that nothing can be compared', () => {
  const before = { state: 'observing', arriving, window: { beganAt: null } as WindowView } as const
  const lost = (tooLarge: number) =>
    comparesNothing({ ...before, exchanges: { seen: tooLarge + 5, compared: 0, skipped: { tooLarge, notSampled: 5 } } })
  expect(lost(20)).toBe(true)
  expect(lost(19)).toBe(false)
})
