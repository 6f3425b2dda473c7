import { expect, test } from 'vitest'
import type { ArrivingView, PromotionView, ValidationView } from '../../../../vocabulary/api.ts'
import { byAttention, summaryOf } from './attention.ts'

const validation = (name: string, change: Partial<ValidationView>): ValidationView =>
  ({
    name,
    state: 'observing',
    verdict: 'inconclusive',
    promotion: null,
    arriving: { quietSince: null },
    ...change,
  }) as ValidationView

const all = [
  validation('waiting', {}),
  validation('promoted', { state: 'promoted', verdict: 'pass' }),
  validation('bad', { verdict: 'fail' }),
  validation('quiet', { arriving: { quietSince: '2026-11-21T08:00:00.000Z' } as ArrivingView }),
  validation('ready', { verdict: 'pass' }),
  validation('asked', { verdict: 'pass', promotion: { state: 'requested' } as PromotionView }),
  validation('live and failing', { state: 'promoted', verdict: 'fail' }),
]

test('what needs a person comes first', () => {
  expect(byAttention(all).map(({ name }) => name)).toEqual([
    'asked',
    'live and failing',
    'quiet',
    'ready',
    'bad',
    'waiting',
    'promoted',
  ])
})

test('the summary counts what there is and is silent about what there is not', () => {
  expect(summaryOf(all)).toBe(
    '1 awaiting approval, 1 ready for a decision, 2 failing, 1 receiving nothing, 2 gathering evidence, 2 promoted',
  )
  expect(summaryOf([])).toBe('')
})
