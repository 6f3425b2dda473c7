import type { ValidationView } from '../../../../vocabulary/validation.ts'

type TimeLeft =
  /** Nothing has begun. */
  | { kind: 'none' }
  /** Evidence is insufficient, and none is arriving. */
  | { kind: 'stalled' }
  | { kind: 'complete' }
  /** Everything is there and passes, except the newest evidence. */
  | { kind: 'held' }
  /** At the present rate, the window never holds the samples needed to pass. */
  | { kind: 'beyond' }
  /** `for`: what takes longest. */
  | { kind: 'left'; ms: number; for: 'window' | 'samples' | 'bound' }

/** How long, at the present rate, until the window is full, its samples are there and its deciding check is decided. */
export function timeLeft({ window, glance }: Pick<ValidationView, 'window' | 'glance'>): TimeLeft {
  if (window.beganAt === null) return { kind: 'none' }
  const { samplesPerMinute, deciding } = glance
  const missing = Math.max(0, window.samplesMin - window.samples)
  const windowMs = Math.max(0, window.durationMs - window.spannedMs)
  if ((missing > 0 || windowMs > 0) && !samplesPerMinute) return { kind: 'stalled' }
  const { decides } = glance
  if (decides?.metric === 'samples' && decides.noForecast?.because === 'beyondWindow') return { kind: 'beyond' }
  const samplesMs = missing === 0 ? 0 : (missing / samplesPerMinute!) * 60_000
  const boundMs = (deciding?.forecast?.hours ?? 0) * 3_600_000
  const ms = Math.max(windowMs, samplesMs, boundMs)
  if (ms === 0) return { kind: decides?.noForecast?.because === 'newest' ? 'held' : 'complete' }
  return { kind: 'left', ms, for: ms === windowMs ? 'window' : ms === samplesMs ? 'samples' : 'bound' }
}
