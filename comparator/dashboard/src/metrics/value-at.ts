import type { MetricsView, MetricTree } from '../../../../vocabulary/api/metrics.ts'
import { treePathOf } from '../../../../vocabulary/metric-path.ts'

/** Totals, or an entry of the series, which also has its time. */
type Tree = MetricTree | MetricsView['series'][number]

/** The number at a dotted metric name; `null` if there is none. */
export function valueAt(tree: Tree, name: string): number | null {
  let node: Tree[string] | Tree | undefined = tree
  for (const part of treePathOf(name)) {
    if (node === null || node === undefined || typeof node !== 'object') return null
    node = node[part]
  }
  return typeof node === 'number' && Number.isFinite(node) ? node : null
}
