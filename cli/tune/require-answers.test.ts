import { expect, test } from 'vitest'
import { requireAnswers } from './require-answers.ts'
import { level, row } from './rows.fixture.ts'

const first = (requests: number, failures: number, latencyMs?: number) => () =>
  requireAnswers([row({}, level(0, Number.NaN, { requests, failures, failureExample: 'HTTP 400' }))], {
    limit: { latencyMs, percentile: 99 },
    windowMs: 1000,
  })

test.each([undefined, 1001])('a model slower than the window leaves a limit of %s ms undecided', (latencyMs) => {
  expect(first(0, 0, latencyMs)).toThrow('no request ended within a window: give a longer --window')
})

test.each([50, 1000])('a model slower than the window breaks a limit of %i ms', (latencyMs) => {
  expect(first(0, 0, latencyMs)).not.toThrow()
})

test('a model that answers nothing is not measured further', () => {
  expect(first(7, 7, 50)).toThrow('all 7 requests failed: HTTP 400; expected requests that the model answers')
  expect(first(7, 6, 50)).not.toThrow()
})
