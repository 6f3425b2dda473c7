import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { Bounded } from '../../../../vocabulary/bounded.ts'
import { valueAt } from '../metrics/value-at.ts'

/** Labelled exchanges, by which side was right. */
export interface Contested {
  both: number
  onlyPrimary: number
  onlyCandidate: number
  neither: number
  labelled: number
  /** The candidate's share, with its bound, of the exchanges in which only one side was right. */
  won: Bounded
  /** McNemar's exact p: how likely chance alone would produce a split this uneven. */
  p: number | null
}

/** Recovers counts from shares of labelled exchanges; `null` without labels. */
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
