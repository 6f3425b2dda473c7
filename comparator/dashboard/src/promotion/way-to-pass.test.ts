import { expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import { wayToPass } from './way-to-pass.ts'

const decides = (more: object = {}) =>
  [{ decides: false }, { metric: 'agreement', decides: true, ...more }] as CheckResult[]

test('a failed gate needs another candidate or limit, an undecided one needs evidence', () => {
  const way = (gate: Parameters<typeof wayToPass>[0]) => wayToPass(gate, null)
  expect(way({ verdict: 'fail', checks: decides() })).toMatch(/a better candidate or a different limit/)
  expect(way({ verdict: 'inconclusive', checks: decides() })).toMatch(/as evidence arrives/)
})

test('a gate that checks nothing of the model needs such a check, whatever arrives', () => {
  const mute = { verdict: 'inconclusive', checks: [{ metric: 'samples', verdict: 'pass' }] as CheckResult[] } as const
  for (const standstill of [null, 'nothing is arriving']) {
    expect(wayToPass(mute, standstill)).toMatch(/a check of the model that is not report-only/)
  }
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
  expect(wayToPass({ verdict: 'inconclusive', checks: decides({ noForecast: { because } }) }, null)).toMatch(words)
})

test('while nothing arrives, more traffic is not called a matter of a longer window', () => {
  const way = (because: string) =>
    wayToPass({ verdict: 'inconclusive', checks: decides({ noForecast: { because } }) }, 'nothing is arriving')
  expect(way('beyondWindow')).toBe('It waits for evidence: nothing is arriving.')
  expect(way('noBound')).toBe('It waits for evidence: nothing is arriving.')
  // which no traffic would change
  expect(way('onLimit')).toMatch(/a different limit/)
})
