import { expect, test } from 'vitest'
import { sentenceOf } from './sentence-of.ts'

const verbOf = (action: string, details = {}, role: 'approver' | 'system' = 'approver') =>
  sentenceOf({ action, details, role })

test('an entry reads as a sentence before its validation’s name', () => {
  expect(verbOf('promotion.request', { comment: 'a week of it' })).toEqual({
    verb: 'asked to promote',
    weight: 'said',
    comment: 'a week of it',
  })
  expect(verbOf('rollout.step', { livePercent: 10 }).verb).toBe('moved 10\u00a0% of live traffic to the candidate of')
  for (const action of ['promotion.override', 'promotion.approve']) {
    expect(verbOf(action, { verdict: 'fail', override: true })).toMatchObject({ weight: 'against' })
  }
  expect(verbOf('promotion.approve')).toMatchObject({ weight: 'said' })
  expect(verbOf('promotion.rollback', { comment: 'p99 fails' }, 'system')).toMatchObject({
    verb: 'automatically rolled back',
    comment: 'p99 fails',
  })
})

test('an unknown action is still shown, and an empty comment is left out', () => {
  expect(verbOf('policy.somethingNew', { comment: '' })).toEqual({
    verb: 'policy: something new, on',
    weight: 'said',
    comment: null,
  })
})
