import type { MetricTree } from '../../../vocabulary/api/metrics.ts'

/**
 * The part of each step's metrics that charts need. Leaves out the paths where documents differ, which are shown for
 * the whole range only, and groups without a value in any step.
 */
export function drawnSteps(steps: readonly MetricTree[]): MetricTree[] {
  const groups = new Set(steps.flatMap((step) => Object.keys(step).filter((name) => isGroup(step[name]))))
  groups.delete('worstPaths')
  const columns = [...groups].map((name) => ({ name, drawn: drawnSteps(steps.map((step) => groupOf(step[name]))) }))
  const known = columns.filter(({ drawn }) => drawn.some((group) => Object.values(group).some(isKnown)))
  return steps.map((step, index) => ({
    ...Object.fromEntries(
      Object.entries(step).flatMap(([name, value]) => (isGroup(value) ? [] : [[name, shortened(value)]])),
    ),
    ...Object.fromEntries(known.map(({ name, drawn }) => [name, drawn[index]!])),
  }))
}

/** Six digits: a month of steps would otherwise make up most of an answer, and no line in a chart shows the seventh. */
export function shortened(value: number | null): number | null {
  return value === null || Number.isInteger(value) ? value : Number(value.toPrecision(6))
}

function isKnown(value: MetricTree[string]): boolean {
  return value !== null
}

function isGroup(value: MetricTree[string] | undefined): value is MetricTree {
  return typeof value === 'object' && value !== null
}

function groupOf(value: MetricTree[string] | undefined): MetricTree {
  return isGroup(value) ? value : {}
}
