import { expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import { forecastSentence, outlookClause } from './outlook-words.ts'

const open = (more: Partial<CheckResult>) => ({ metric: 'agreement', verdict: 'inconclusive', ...more }) as CheckResult
const soon = open({ forecast: { observations: 6400, hours: 3 } })
const beyond = open({ forecast: null, noForecast: { because: 'beyondWindow', hours: 269, windows: 1.603 } })
const onLimit = open({ forecast: null, noForecast: { because: 'onLimit' } })
const noBound = open({ forecast: null, noForecast: { because: 'noBound' } })
const allAlike = open({ forecast: null, noForecast: { because: 'allAlike' } })
const firstDay = open({ forecast: null, noForecast: { because: 'firstDay' } })
const others = open({ forecast: null, noForecast: { because: 'others' } })
const newest = open({ forecast: null, noForecast: { because: 'newest' } })
const span = open({ metric: 'duration', forecast: { observations: 173, hours: 18.6 } })

test('an undecided check says when it will be decided, or why that cannot be predicted', () => {
  expect(
    [soon, span, beyond, onLimit, noBound, allAlike, firstDay, others, newest].map((check) =>
      forecastSentence(check, null),
    ),
  ).toEqual([
    'Decided in about 3\u00a0h (6,400 more observations).',
    'Full in about 18\u00a0h 36\u00a0min.',
    'No forecast: at the present rate this takes 1.6 times the window.',
    'No forecast: the estimate is on the limit, and more of the same evidence will not move it.',
    'No forecast: there is no bound yet to project.',
    'No forecast: all values were the same, which says nothing about unseen ones.',
    'No forecast: the first day had too few answers, and it cannot gain more.',
    'No forecast: there are too many undeclared labels to tell apart.',
    'No forecast: the newest evidence alone must no longer be outside the limit.',
  ])
  expect(forecastSentence(open({ verdict: 'pass', forecast: null }), null)).toBeNull()
  expect(forecastSentence(open({ metric: 'coverage', forecast: null }), null)).toBeNull()
})

test('there is no forecast while the evidence stands still', () => {
  for (const check of [soon, span, beyond, onLimit, noBound]) {
    expect(forecastSentence(check, 'nothing is arriving')).toBe('No forecast: nothing is arriving.')
    expect(outlookClause(check, 'nothing is arriving')).toBe('; nothing is arriving')
  }
  expect(outlookClause(open({ metric: 'coverage', forecast: null }), 'nothing is arriving')).toBe(
    '; nothing is arriving',
  )
})

test('a sentence continues with the same forecast', () => {
  expect([soon, span, beyond, noBound].map((check) => outlookClause(check, null))).toEqual([
    '; about 3\u00a0h to go (6,400 more observations)',
    '; about 18\u00a0h 36\u00a0min to go',
    '; at the present rate this takes 1.6 times the window',
    '',
  ])
})

test('barely more than the window holds is not described as one times that', () => {
  const hardly = open({ forecast: null, noForecast: { because: 'beyondWindow', hours: 49, windows: 1.02 } })
  expect(forecastSentence(hardly, null)).toContain('this takes slightly more than the window')
  const whole = open({ forecast: null, noForecast: { because: 'beyondWindow', hours: 192, windows: 4.01 } })
  expect(forecastSentence(whole, null)).toContain('this takes 4 times the window')
  const long = open({ forecast: null, noForecast: { because: 'beyondWindow', hours: 8000, windows: 1330 } })
  expect(forecastSentence(long, null)).toContain('1,330 times')
})

test('longer than anyone waits has no figure', () => {
  const years = open({ forecast: null, noForecast: { because: 'beyondWindow', hours: 6.16e6, windows: 257_000 } })
  expect(forecastSentence(years, null)).toBe('No forecast: this takes more than a year, so not at this rate.')
})
