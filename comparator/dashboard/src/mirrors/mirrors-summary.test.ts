import { expect, test } from 'vitest'
import type { MirroredCandidate, MirrorsView, MirrorView } from '../../../../vocabulary/mirrors.ts'
import { candidateRows } from './candidate-rows.ts'
import { mirrorsSummary } from './mirrors-summary.ts'

const candidate = (validation: string, breaker: MirroredCandidate['breaker'] = 'closed') =>
  ({ validation, breaker }) as MirroredCandidate
const mirror = (state: MirrorView['state'], more: Partial<MirrorView> = {}) =>
  ({ name: state, state, lagMs: 0, ledger: [], candidates: [], ...more }) as MirrorView
const account = (seen: number, delivered: number, pending: number) => ({
  ...{ validation: 'v', seen, delivered, pending },
  skipped: { shed: seen - delivered - pending },
})
const texts = (view: MirrorsView) => mirrorsSummary(view).map(({ name, text, warns }) => [name, text, warns])

test('the summary says who reports, who answers, how long deliveries are behind, and what happened to the exchanges; old reports are not current', () => {
  const view: MirrorsView = {
    alarms: [],
    mirrors: [
      mirror('reporting', {
        lagMs: 194_000,
        ledger: [account(1000, 900, 4)],
        candidates: [candidate('a'), candidate('b', 'open')],
      }),
      mirror('silent', { lagMs: 999_000, ledger: [account(9, 9, 0)], candidates: [candidate('c')] }),
      mirror('stopped', { candidates: [candidate('d')] }),
    ],
  }
  expect(texts(view)).toEqual([
    ['Mirrors', '1 reporting, 1 silent', true],
    ['Candidate servers', '1 of 2 answering', true],
    ['Deliveries', 'behind for 3\u00a0min 14\u00a0s', true],
    ['Ledger', '90\u00a0% of 1,000 delivered, 4 pending', false],
  ])
})

test('healthy mirrors raise no warning', () => {
  const well = mirror('reporting', { candidates: [candidate('a'), candidate('b')] })
  expect(texts({ alarms: [], mirrors: [well, { ...well, name: 'two' }] })).toEqual([
    ['Mirrors', '2 reporting', false],
    ['Candidate servers', '4 of 4 answering', false],
    ['Deliveries', 'up to date', false],
    ['Ledger', 'no exchange seen', false],
  ])
})

test('if no mirror reports, nothing is known of deliveries', () => {
  expect(texts({ alarms: [], mirrors: [mirror('silent')] })[2]).toEqual(['Deliveries', 'not known', false])
})

test('candidate servers in trouble come first, then by validation', () => {
  const candidates = [candidate('b'), candidate('a'), candidate('c', 'halfOpen'), candidate('d', 'open')]
  const rows = candidateRows({ alarms: [], mirrors: [mirror('reporting', { candidates })] })
  expect(rows.map(({ validation }) => validation)).toEqual(['d', 'c', 'a', 'b'])
})
