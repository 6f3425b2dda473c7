import type { Bounded } from '../../../../vocabulary/bounded.ts'
import type { MetricsView } from '../../../../vocabulary/metrics.ts'
import { valueAt } from '../metrics/value-at.ts'

/** Labelled exchanges by which side was right. */
export interface Contested {
  both: number
  onlyPrimary: number
  onlyCandidate: number
  neither: number
  labelled: number
  /** Of those in which only one side was right, the share in which it was the candidate; with its bound. */
  won: Bounded
  /** McNemar's exact p: how likely a split this uneven is by chance. */
  p: number | null
}

/** From shares over labelled exchanges back to their counts; `null` without a label. */
export function contestedOf({ totals, bounds }: Pick<MetricsView, 'totals' | 'bounds'>): Contested | null {
  const labelled = valueAt(totals, 'labelled') ?? 0
  const primary = bounds['accuracy.primary']
  const candidate = bounds['accuracy.candidate']
  if (labelled === 0 || primary?.estimate == null || candidate?.estimate == null) return null
  const won = bounds['accuracy.won'] ?? { estimate: null, lower: null, upper: null, n: 0 }
  const onlyCandidate = Math.round((won.estimate ?? 0) * won.n)
  const onlyPrimary = won.n - onlyCandidate
  const both = Math.round(primary.estimate * primary.n) - onlyPrimary
  return {
    both,
    onlyPrimary,
    onlyCandidate,
    neither: primary.n - both - won.n,
    labelled: primary.n,
    won,
    p: valueAt(totals, 'accuracy.mcnemarP'),
  }
}
