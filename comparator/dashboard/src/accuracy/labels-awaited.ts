import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { valueAt } from '../metrics/value-at.ts'

/** The kinds of output that labels apply to. */
export const labelledKinds: readonly OutputKind[] = ['classification', 'regression']

interface LabelCount {
  labelled: number
  /** Exchanges that a label could join, because their answers were compared. */
  comparable: number
  /** Exchanges whose label arrived but does not fit the answer. */
  misfits: number
  /** Exchanges whose label has not arrived. */
  missing: number
}

const comparedBy: Partial<Record<OutputKind, string>> = { classification: 'agreement', regression: 'mae' }

export function labelCount(metrics: Pick<MetricsView, 'totals' | 'bounds'>, kind: OutputKind): LabelCount {
  const labelled = valueAt(metrics.totals, 'labelled') ?? 0
  const comparable = metrics.bounds[comparedBy[kind] ?? '']?.n ?? 0
  const misfits = valueAt(metrics.totals, 'misfitLabels') ?? 0
  return {
    labelled,
    comparable: Math.max(comparable, labelled),
    misfits,
    missing: Math.max(0, comparable - labelled - misfits),
  }
}

/**
 * Counts per step, by the exchange's own time. Labels come later, so the newest steps have the fewest. Labels that do
 * not fit count as arrived.
 */
export function labelSteps(metrics: Pick<MetricsView, 'series' | 'stepMs'>) {
  return metrics.series.map((step) => {
    const at = new Date(step.at)
    const labelled = valueAt(step, 'labelled') ?? 0
    const awaited = (valueAt(step, 'samples') ?? 0) - labelled - (valueAt(step, 'misfitLabels') ?? 0)
    return { at, to: new Date(at.getTime() + metrics.stepMs), labelled, awaited: Math.max(0, awaited) }
  })
}
