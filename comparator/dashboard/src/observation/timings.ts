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

/** Round ticks for an axis, with at most `count` steps between its ends. */
export function ticksOf(from: number, to: number, count: number): number[] {
  const raw = (to - from) / count
  if (!(raw > 0)) return [0]
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw)!
  const ticks: number[] = []
  // avoids −0
  for (let i = Math.ceil(from / step) + 0; i * step <= to; i++) ticks.push(i * step)
  return ticks
}
