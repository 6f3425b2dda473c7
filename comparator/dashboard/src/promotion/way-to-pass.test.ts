import { expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/gate.ts'
import { wayToPass } from './way-to-pass.ts'

const decides = (more: object = {}) =>
  [{ decides: false }, { metric: 'agreement', decides: true, ...more }] as CheckResult[]

test('a gate that fails waits for another candidate or limit, one that is in doubt for evidence', () => {
  expect(wayToPass({ verdict: 'fail', checks: decides() })).toMatch(/a better candidate or a different limit/)
  expect(wayToPass({ verdict: 'fail', checks: decides({ metric: 'age' }) })).toMatch(/as evidence arrives/)
  expect(wayToPass({ verdict: 'inconclusive', checks: decides() })).toMatch(/as evidence arrives/)
  expect(wayToPass({ verdict: 'inconclusive', checks: [] })).toMatch(/as evidence arrives/)
})

test.each([
  ['beyondWindow', /More traffic or a longer window/],
  ['onLimit', /A better candidate or a different limit/],
  ['allAlike', /values that differ/],
  ['others', /Declare the labels in the mapping/],
  ['firstDay', /a new window/],
  ['noBound', /as evidence arrives/],
  ['newest', /as evidence arrives/],
])('in doubt because of %s, it takes %s', (because, words) => {
  expect(wayToPass({ verdict: 'inconclusive', checks: decides({ noForecast: { because } }) })).toMatch(words)
})
