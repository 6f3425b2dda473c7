import type { FunnelView } from '../../../../vocabulary/funnel.ts'

/** One step of the funnel: how many are left, and what got lost on the way to it, most first. */
export interface FunnelStage {
  name: 'seen' | 'sampled' | 'answered' | 'compared'
  count: number
  lost: Loss[]
}
export interface Loss {
  /** Whose doing: a leg's, or `null`, on the way. */
  leg: 'primary' | 'candidate' | null
  reason: string
  count: number
}

/** What an answer can be that came and yet cannot be compared. */
const unreadable = ['unmapped', 'zeroVector', 'dimensions']
/** What mirrors skip; every other reason for a skip is how the primary ended. */
const onTheWay = ['notSampled', 'shed', 'aborted', 'tooLarge', 'rejected', 'noComparator']

/** Seen → sampled → answered by both → compared, from the counts of the coverage check. */
export function funnelStages({ seen, skipped, failed }: FunnelView): FunnelStage[] {
  const losses: Loss[] = [
    ...Object.entries(skipped).map(
      ([reason, count]): Loss => ({ leg: onTheWay.includes(reason) ? null : 'primary', reason, count }),
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
