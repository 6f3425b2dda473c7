import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { LiveBreaker } from '../routing/live-breaker.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import { BreakerEvidence } from './breaker-evidence.ts'

let now = 0
const clock = { ...systemClock, monotonic: () => now }

const breakerOf = (failures: number) =>
  new LiveBreaker({ failures, cooldownMs: 1000, silenceMaxMs: 1000, turned: () => {} }, clock)

/** One thing that happens to a request. */
type Step = (evidence: BreakerEvidence) => void

/** What these steps do to a breaker that a single failure opens, or to one that is open. */
function turned(steps: readonly Step[], isPrimaryHealthy: boolean): string {
  const [closed, open] = [breakerOf(1), breakerOf(1)]
  open.failed()
  for (const breaker of [closed, open]) {
    const evidence = new BreakerEvidence(breaker, { isAnyHealthy: isPrimaryHealthy } as UpstreamGroup, clock)
    for (const step of steps) step(evidence)
  }
  return `${closed.isOpen ? 'opened' : ''}${open.isOpen ? '' : 'closed'}` || 'nothing'
}

const whole: Step = (evidence) => evidence.requestIsWhole()
const later: Step = () => {
  now += 1000
}
const responded =
  (status: number): Step =>
  (evidence) =>
    evidence.candidateResponded(status)
const ended =
  (end: Parameters<BreakerEvidence['candidateEnded']>[0]): Step =>
  (evidence) =>
    evidence.candidateEnded(end)
const passedOn: Step = (evidence) => evidence.passedOn()
const primaryResponded =
  (status: number): Step =>
  (evidence) =>
    evidence.primaryResponded(status)
const primaryEnded =
  (end: Parameters<BreakerEvidence['primaryEnded']>[0]): Step =>
  (evidence) =>
    evidence.primaryEnded(end)

test.each([
  ['an answer', [whole, responded(200), ended('answered')], 'closed'],
  ['an error of its own', [whole, responded(500), ended('answered')], 'closed'],
  ['a status by which a gateway says that there is no answer', [whole, responded(503), ended('answered')], 'opened'],
  ['a connection refused', [ended('refused')], 'opened'],
  ['silence', [ended('timedOut')], 'opened'],
  ['an answer broken off', [whole, responded(200), ended('reset')], 'opened'],
  ['a connection closed under an unfinished upload', [ended('reset')], 'nothing'],
  ['no descriptor left for it', [whole, later, ended('shed')], 'nothing'],
  ['a client that left at once', [whole, ended('aborted')], 'nothing'],
  ['a client that had waited', [whole, later, ended('aborted')], 'opened'],
  ['a client that left an unfinished upload late', [later, ended('aborted')], 'nothing'],
  ['a client that left in the middle of an answer', [whole, responded(200), later, ended('aborted')], 'nothing'],
] as const)('%s', (_what, steps, expected) => {
  expect(turned(steps, true)).toBe(expected)
  // it proves nothing against the candidate if the primary might have done no better
  expect(turned(steps, false)).toBe(expected === 'opened' ? 'nothing' : expected)
})

test.each([
  ['answered', [primaryResponded(200), primaryEnded('answered')], 'opened'],
  ['began an answer', [primaryResponded(200), primaryEnded('reset')], 'opened'],
  ['has none either, by its status', [primaryResponded(503), primaryEnded('answered')], 'closed'],
  ['cannot be reached either', [primaryEnded('refused')], 'closed'],
  ['was not waited for', [primaryEnded('aborted')], 'nothing'],
  ['could not be asked for want of a descriptor', [primaryEnded('shed')], 'nothing'],
] as const)('a failed candidate’s request goes on to a primary that %s', (_what, steps, expected) => {
  const failed = [whole, passedOn, ended('refused'), ...steps]
  for (const isHealthy of [true, false]) expect(turned(failed, isHealthy)).toBe(expected)
})

test('a request that an open breaker sends straight to the primary tells only of its failure', () => {
  expect(turned([primaryResponded(200)], true)).toBe('nothing')
  expect(turned([primaryEnded('timedOut')], true)).toBe('closed')
})

test('a client that leaves at once is no answer: failures before and after it are still in a row', () => {
  const breaker = breakerOf(2)
  const isOpen = []
  for (const end of ['refused', 'aborted', 'refused', 'aborted'] as const) {
    const evidence = new BreakerEvidence(breaker, { isAnyHealthy: true } as UpstreamGroup, clock)
    evidence.requestIsWhole()
    evidence.candidateEnded(end)
    isOpen.push(breaker.isOpen)
  }
  expect(isOpen).toEqual([false, false, true, true])
})
