import type { FunnelView } from '../../../../vocabulary/api/funnel.ts'
import { isLostOnTheWay } from '../format/words.ts'

/** One step of the funnel: how many exchanges are left, and what was lost before it, largest loss first. */
export interface FunnelStage {
  name: 'seen' | 'sampled' | 'answered' | 'compared'
  count: number
  lost: Loss[]
}
export interface Loss {
  /** Which leg caused it; `null` if neither did. */
  leg: 'primary' | 'candidate' | null
  reason: string
  count: number
}

/** Reasons why an answer that arrived cannot be compared. */
const unreadable = ['unmapped', 'zeroVector', 'dimensions']

/** Seen → sampled → answered by both → compared, from the counts of the coverage check. */
export function funnelStages({ seen, skipped, failed }: FunnelView): FunnelStage[] {
  const losses: Loss[] = [
    ...Object.entries(skipped).map(
      ([reason, count]): Loss => ({ leg: isLostOnTheWay(reason) ? null : 'primary', reason, count }),
    ),
    ...Object.entries(failed).map(([reason, count]): Loss => ({ leg: 'candidate', reason, count })),
  ].filter(({ count }) => count > 0)
  const stageOf = ({ reason }: Loss): FunnelStage['name'] =>
    reason === 'notSampled' ? 'sampled' : unreadable.includes(reason) ? 'compared' : 'answered'
  let left = seen
  return (['seen', 'sampled', 'answered', 'compared'] as const).map((name) => {
    const lost = losses.filter((loss) => stageOf(loss) === name).toSorted((a, b) => b.count - a.count)
    left -= lost.reduce((sum, { count }) => sum + count, 0)
    return { name, count: left, lost }
  })
}
