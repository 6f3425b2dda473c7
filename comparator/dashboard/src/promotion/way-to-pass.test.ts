import { expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import { wayToPass } from './way-to-pass.ts'

const decides = (more: object = {}) =>
  [{ decides: false }, { metric: 'agreement', decides: true, ...more }] as CheckResult[]

test('a failed gate needs another candidate or limit, an undecided one needs evidence', () => {
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
])('undecided because of %s, it needs %s', (because, words) => {
  expect(wayToPass({ verdict: 'inconclusive', checks: decides({ noForecast: { because } }) })).toMatch(words)
})
