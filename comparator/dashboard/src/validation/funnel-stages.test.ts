import { expect, test } from 'vitest'
import type { FunnelView } from '../../../../vocabulary/api/funnel.ts'
import { funnelStages } from './funnel-stages.ts'

const funnel = (skipped: Record<string, number>, failed: Record<string, number> = {}, compared = 700): FunnelView => ({
  from: null,
  to: null,
  seen: compared + Object.values(skipped).reduce((sum, count) => sum + count, 0),
  compared,
  skipped,
  failed,
  coverage: null,
  coverageMin: 0.9,
  bySizeClass: [],
})

test('each stage has what the previous one had, minus what was lost on the way', () => {
  const stages = funnelStages(
    funnel({ notSampled: 200, shed: 40, primaryStatus: 50, unmapped: 10 }, { timedOut: 30, unmapped: 5 }),
  )
  expect(stages.map(({ name, count }) => [name, count])).toEqual([
    ['seen', 1000],
    ['sampled', 800],
    ['answered', 680],
    ['compared', 665],
  ])
  expect(stages[2]!.lost).toEqual([
    { leg: 'primary', reason: 'primaryStatus', count: 50 },
    { leg: null, reason: 'shed', count: 40 },
    { leg: 'candidate', reason: 'timedOut', count: 30 },
  ])
  expect(stages[3]!.lost.map(({ leg, count }) => [leg, count])).toEqual([
    ['primary', 10],
    ['candidate', 5],
  ])
})

test('if nothing was lost all stages are equal, and a reason without exchanges is omitted', () => {
  for (const stage of funnelStages(funnel({ shed: 0 }))) expect(stage).toMatchObject({ count: 700, lost: [] })
})
