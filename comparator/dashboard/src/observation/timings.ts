import type { OutcomeView } from '../../../../vocabulary/api/observation-view.ts'

/** A stretch of time on one leg, in ms since its request was sent; earlier times are negative. */
interface Stretch {
  kind: 'queued' | 'firstByte' | 'rest'
  from: number
  to: number
}

type Timed = Pick<OutcomeView, 'totalMs' | 'queuedMs'> & { ttfbMs?: number }

/** The wait in the mirror's own queue is not part of the leg's latency, so it is before zero. */
export function stretchesOf({ totalMs, ttfbMs, queuedMs }: Timed): Stretch[] {
  const stretches: Stretch[] = []
  if (queuedMs) stretches.push({ kind: 'queued', from: -queuedMs, to: 0 })
  const first = Math.min(ttfbMs ?? totalMs, totalMs)
  stretches.push({ kind: 'firstByte', from: 0, to: first })
  if (totalMs > first) stretches.push({ kind: 'rest', from: first, to: totalMs })
  return stretches
}
