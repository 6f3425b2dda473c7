import { expect, test } from 'vitest'
import type { ValidationView } from '../../../../vocabulary/api.ts'
import { grouped, needOf, summaryOf } from './needs.ts'

function validation(name: string, more: Partial<ValidationView> = {}): ValidationView {
  const arriving = { lastSeenAt: null, quietSince: null, mirror: null }
  return { name, state: 'observing', verdict: 'inconclusive', promotion: null, arriving, ...more } as ValidationView
}
const requested = { state: 'requested' } as ValidationView['promotion']
const quiet = { lastSeenAt: null, quietSince: '2026-11-21T08:00:00Z', mirror: null }

test('what needs a person comes first, the most pressing above; then what is under way, then what is settled', () => {
  const groups = grouped([
    validation('gathers'),
    validation('fails', { verdict: 'fail' }),
    validation('promoted', { state: 'promoted', verdict: 'pass' }),
    validation('ready', { verdict: 'pass' }),
    validation('rejected', { state: 'rejected', verdict: 'fail' }),
    validation('quiet', { arriving: quiet }),
    validation('rolling', { state: 'rollingOut', verdict: 'pass' }),
    validation('asked', { verdict: 'pass', promotion: requested }),
    validation('live-failing', { state: 'rollingOut', verdict: 'fail' }),
  ])
  expect(groups.map(({ name, validations }) => [name, ...validations.map((one) => one.name)])).toEqual([
    ['needsPerson', 'live-failing', 'asked', 'quiet', 'ready', 'fails'],
    ['underWay', 'rolling', 'gathers'],
    ['settled', 'promoted', 'rejected'],
  ])
})

test('a group without a validation is not there, and equals stand by name', () => {
  const groups = grouped([validation('b'), validation('a')])
  expect(groups.map(({ validations }) => validations.map(({ name }) => name))).toEqual([['a', 'b']])
})

test('one that is decided against needs nobody, whatever its verdict', () => {
  for (const state of ['rejected', 'rolledBack'] as const) {
    expect(needOf(validation('one', { state, verdict: 'pass' }))).toBeNull()
    expect(needOf(validation('one', { state, verdict: 'fail' }))).toBeNull()
  }
})

test('the summary counts each kind in words', () => {
  const all = [
    validation('a', { verdict: 'pass', promotion: requested }),
    validation('b', { verdict: 'pass' }),
    validation('c', { verdict: 'fail' }),
    validation('d'),
    validation('e', { arriving: quiet }),
    validation('f', { state: 'rollingOut', verdict: 'pass' }),
    validation('g', { state: 'promoted', verdict: 'fail' }),
  ]
  expect(summaryOf(all)).toBe(
    '1 live and failing, 1 awaiting approval, 1 receiving nothing, 1 ready for a decision, 1 failing, 1 gathering evidence, 1 rolling out, 1 promoted',
  )
  expect(summaryOf([])).toBe('')
})
