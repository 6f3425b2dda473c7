import { expect, test } from 'vitest'
import type { MirrorsView, MirrorView } from '../../../../vocabulary/mirrors.ts'
import { allAlarms } from './all-alarms.ts'

const alarm = (code: string, validation: string | null, since: string) => ({ code, validation, since, message: 'm' })
const mirror = (name: string, state: MirrorView['state'], alarms: MirrorView['alarms']) =>
  ({ name, state, alarms }) as MirrorView

test('every alarm is listed once, longest first, with who raised it', () => {
  const view: MirrorsView = {
    mirrors: [
      mirror('a', 'reporting', [
        alarm('SPOOL_FAILING', null, '2026-11-02'),
        alarm('BREAKER_OPEN', 'v', '2026-11-02'),
        alarm('NOTHING_ARRIVING', 'q', '2026-11-03'),
      ]),
      mirror('b', 'silent', [alarm('MIRROR_SILENT', null, '2026-11-05'), alarm('NOTHING_ARRIVING', 'p', '2026-11-04')]),
      mirror('c', 'stopped', [alarm('BREAKER_OPEN', 'v', '2026-11-01')]),
    ],
    alarms: [alarm('NOTHING_ARRIVING', 'q', '2026-11-01')],
  }
  expect(allAlarms(view).map(({ code, validation, mirror }) => [code, validation, mirror])).toEqual([
    ['NOTHING_ARRIVING', 'q', null],
    ['BREAKER_OPEN', 'v', 'a'],
    ['SPOOL_FAILING', null, 'a'],
    ['NOTHING_ARRIVING', 'p', 'b'],
    ['MIRROR_SILENT', null, 'b'],
  ])
})
