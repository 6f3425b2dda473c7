import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { LiveBreaker } from '../routing/live-breaker.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import { BreakerEvidence } from './breaker-evidence.ts'

const primary = { isAnyHealthy: true } as UpstreamGroup

const breakerOf = (failures: number) =>
  new LiveBreaker(
    { failures, cooldownMs: 1000, silenceMaxMs: 1000, turned: () => {} },
    { ...systemClock, monotonic: () => 0 },
  )

/** The evidence of a request that the candidate has got whole. */
function wholeRequest(breaker: LiveBreaker): BreakerEvidence {
  const evidence = new BreakerEvidence(breaker, primary, systemClock)
  evidence.requestIsWhole()
  return evidence
}

test('a client that leaves at once is no answer: failures before and after it are still in a row', () => {
  const breaker = breakerOf(2)
  const isOpen = []
  for (const end of ['refused', 'aborted', 'refused', 'aborted'] as const) {
    wholeRequest(breaker).candidateEnded(end)
    isOpen.push(breaker.isOpen)
  }
  expect(isOpen).toEqual([false, false, true, true])
})

test('a primary that fails in its place closes the breaker, but not one whose client left', () => {
  const breaker = breakerOf(1)
  breaker.failed()
  const isOpen = []
  for (const end of ['aborted', 'refused'] as const) {
    const evidence = wholeRequest(breaker)
    evidence.passedOn()
    evidence.candidateEnded('refused')
    evidence.primaryEnded(end)
    isOpen.push(breaker.isOpen)
  }
  expect(isOpen).toEqual([true, false])
})
