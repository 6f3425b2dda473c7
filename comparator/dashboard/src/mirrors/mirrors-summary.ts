import type { MirrorsView } from '../../../../vocabulary/mirrors.ts'
import { formatCount, formatShare } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'
import { candidateRows } from './candidate-rows.ts'

/** From here on, deliveries are shown as behind, in ms. */
export const behindFromMs = 2000

interface SummaryFact {
  name: string
  text: string
  /** Whether it needs attention. */
  warns: boolean
}

/** How many mirrors report and candidate servers answer, how long deliveries have been behind, and what became of the exchanges. */
export function mirrorsSummary(view: MirrorsView): SummaryFact[] {
  const silent = view.mirrors.filter(({ state }) => state === 'silent').length
  const reporting = view.mirrors.filter(({ state }) => state === 'reporting')
  const known = candidateRows(view).filter(({ isOld }) => !isOld)
  const failing = known.filter(({ breaker }) => breaker !== 'closed').length
  const lagMs = Math.max(0, ...reporting.map((mirror) => mirror.lagMs))
  const accounts = reporting.flatMap(({ ledger }) => ledger)
  const sum = (of: 'seen' | 'delivered' | 'pending') => accounts.reduce((all, account) => all + account[of], 0)
  const [seen, delivered, pending] = [sum('seen'), sum('delivered'), sum('pending')]
  return [
    {
      name: 'Mirrors',
      text: [`${reporting.length} reporting`, silent && `${silent} silent`].filter(Boolean).join(', '),
      warns: silent > 0,
    },
    {
      name: 'Candidate servers',
      text: `${known.length - failing} of ${known.length} answering`,
      warns: failing > 0,
    },
    {
      name: 'Deliveries',
      text: reporting.length === 0 ? 'not known' : deliveryWords(lagMs),
      warns: lagMs >= behindFromMs,
    },
    {
      name: 'Ledger',
      text:
        seen === 0
          ? 'no exchange seen'
          : `${formatShare(delivered / seen)} of ${formatCount(seen)} delivered, ${formatCount(pending)} pending`,
      warns: false,
    },
  ]
}

export function deliveryWords(lagMs: number): string {
  return lagMs < behindFromMs ? 'up to date' : `behind for ${formatSpan(lagMs)}`
}
