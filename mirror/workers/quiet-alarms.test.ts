import { expect, test } from 'vitest'
import type { Alarm } from '../routing/quiet-routes.ts'
import { commonAlarms } from './quiet-alarms.ts'

const alarm = (validation: string, since: string): Alarm => ({
  code: 'NOTHING_ARRIVING',
  validation,
  route: '/p',
  since,
  message: since,
})

test('nothing arrives if every worker says so, since the last of them did', () => {
  const alarms = commonAlarms([
    [alarm('a', '2026-01-01'), alarm('b', '2026-01-01')],
    [alarm('a', '2026-01-02')],
    [alarm('a', '2026-01-01'), alarm('b', '2026-01-01')],
  ])
  expect(alarms).toEqual([alarm('a', '2026-01-02')])
})

test('without workers there is no alarm', () => {
  expect(commonAlarms([])).toEqual([])
})
