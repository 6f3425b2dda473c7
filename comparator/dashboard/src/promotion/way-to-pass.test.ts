import { expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/gate.ts'
import { wayToPass } from './way-to-pass.ts'

const decides = (more: object = {}) => [{ decides: false }, { decides: true, ...more }] as CheckResult[]

test('a gate that fails waits for another candidate, one that is in doubt for evidence', () => {
  expect(wayToPass({ verdict: 'fail', checks: decides() })).toMatch(/new version of the candidate/)
  expect(wayToPass({ verdict: 'inconclusive', checks: decides() })).toMatch(/as evidence arrives/)
  expect(wayToPass({ verdict: 'inconclusive', checks: [] })).toMatch(/as evidence arrives/)
})

test('where waiting decides nothing, what would is said instead', () => {
  const because = (reason: object) => wayToPass({ verdict: 'inconclusive', checks: decides({ noForecast: reason }) })
  expect(because({ because: 'beyondWindow', windows: 5 })).toMatch(/More traffic or a longer window/)
  expect(because({ because: 'onLimit' })).toMatch(/A better candidate or another limit/)
})
