import { expect, test } from 'vitest'
import { standstillOf } from './standstill.ts'

const at = (time: string) => `2026-11-21T${time}:00.000Z`
const arriving = { quietSince: null, lastSeenAt: at('10:00'), mirror: null }

test('the evidence stands still where nothing arrives, and where nothing that arrives is compared', () => {
  expect(standstillOf({ arriving: { ...arriving, quietSince: at('09:00') }, lastObservationAt: at('09:00') })).toBe(
    'nothing is arriving',
  )
  expect(standstillOf({ arriving, lastObservationAt: at('09:54') })).toBe(
    'nothing since 2026-11-21 09:54:00 UTC has been compared',
  )
})

test('it does not where exchanges are rare, on their way, or not there yet', () => {
  expect(standstillOf({ arriving, lastObservationAt: at('10:00') })).toBeNull()
  expect(standstillOf({ arriving, lastObservationAt: at('09:55') })).toBeNull()
  expect(standstillOf({ arriving, lastObservationAt: null })).toBeNull()
  expect(standstillOf({ arriving: { ...arriving, lastSeenAt: null }, lastObservationAt: at('09:00') })).toBeNull()
})
