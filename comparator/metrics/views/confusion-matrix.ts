import type { MetricsView } from '../../../vocabulary/api/metrics.ts'
import { sideOf } from '../../../vocabulary/mapping/mapping-side.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { confusionFrom } from '../../statistics/kappa.ts'
import { confusionIn } from '../evidence/confusion-in.ts'
import type { Evidence } from '../evidence/evidence.ts'

/** Of more labels, only the most frequent are shown. */
const confusionLabelsMax = 100

/**
 * The confusion matrix. Labels are in the mapping's order or, without one, numbers by value, then names alphabetically.
 */
export function confusionOf(policy: Policy, { sums }: Evidence): MetricsView['confusion'] {
  if (policy.output.kind !== 'classification') return null
  const { cells, rows, columns } = confusionFrom(confusionIn(sums).cells)
  if (cells.length === 0) return null
  const frequency = (label: string) => (rows.get(label) ?? 0) + (columns.get(label) ?? 0)
  const known =
    sideOf(policy.output, 'primary').labels ?? [...new Set([...rows.keys(), ...columns.keys()])].sort(byNumberThenName)
  const shown = new Set(
    known.length <= confusionLabelsMax
      ? known
      : known.toSorted((a, b) => frequency(b) - frequency(a)).slice(0, confusionLabelsMax),
  )
  const labels = known.filter((label) => shown.has(label))
  const indexOf = new Map(labels.map((label, i) => [label, i]))
  const counts = labels.map(() => labels.map(() => 0))
  for (const [row, column, count] of cells) {
    const i = indexOf.get(row)
    const j = indexOf.get(column)
    if (i !== undefined && j !== undefined) counts[i]![j]! += count
  }
  return { labels, counts }
}

function byNumberThenName(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)]
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1
  return x - y || (a < b ? -1 : 1)
}
