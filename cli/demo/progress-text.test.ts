import { expect, test } from 'vitest'
import { progressText } from './progress-text.ts'

const view = (name: string, verdict: 'pass' | 'fail' | 'inconclusive', samples = 1200) => ({
  name,
  verdict,
  state: 'observing' as const,
  livePercent: 0,
  window: { samples, samplesMin: 600 },
})

test('on a terminal of 80 letters every verdict is seen', () => {
  const views = [view('digits-int8', 'pass'), view('diabetes-int8', 'pass'), view('digits-int8-dim', 'fail')]
  expect(progressText(5280, 0, views).slice(0, 80)).toMatch(
    /^digits-int8 pass \| diabetes-int8 pass \| digits-int8-dim fail \|/,
  )
})

test('a validation says how far it is while it is undecided, and where its live traffic goes', () => {
  expect(progressText(100, 1, [view('a', 'inconclusive', 20)])).toBe('a inconclusive (20/600) | 100 requests, 1 errors')
  const live = { ...view('a', 'pass'), state: 'rollingOut' as const, livePercent: 50 }
  expect(progressText(100, 0, [live])).toBe('a pass, rollingOut 50 % | 100 requests, 0 errors')
})
