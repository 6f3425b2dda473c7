import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { standstillOf } from '../verdict/standstill.ts'

type TimeLeft =
  /** Nothing has begun. */
  | { kind: 'none' }
  /** Evidence is insufficient, and does not grow. */
  | { kind: 'stalled' }
  | { kind: 'complete' }
  /** Everything is there and passes, except the newest evidence. */
  | { kind: 'held' }
  /** At the present rate, the window never holds the samples needed to pass. */
  | { kind: 'beyond' }
  /** `for`: what takes longest. */
  | { kind: 'left'; ms: number; for: 'window' | 'samples' | 'bound' }

/**
 * How long, at the present rate, until the window is full, its samples are there and its deciding check is decided. Where
 * exchanges are so rare that the last minutes had none, the rate is the window's.
 */
export function timeLeft(
  validation: Pick<ValidationView, 'window' | 'glance' | 'arriving' | 'lastObservationAt' | 'exchanges'>,
): TimeLeft {
  const { window, glance } = validation
  if (window.beganAt === null) return { kind: 'none' }
  const { samplesPerMinute, deciding, decides } = glance
  const missing = Math.max(0, window.samplesMin - window.samples)
  const windowMs = Math.max(0, window.durationMs - window.spannedMs)
  const perMs = samplesPerMinute ? samplesPerMinute / 60_000 : window.samples / window.spannedMs
  const samplesMs = missing === 0 ? 0 : missing / perMs
  const boundMs = (deciding?.forecast?.hours ?? 0) * 3_600_000
  const ms = Math.max(windowMs, samplesMs, boundMs)
  if (ms !== 0 && (standstillOf(validation) !== null || !Number.isFinite(ms))) return { kind: 'stalled' }
  if (decides?.metric === 'samples' && decides.noForecast?.because === 'beyondWindow') return { kind: 'beyond' }
  if (ms === 0) return { kind: decides?.noForecast?.because === 'newest' ? 'held' : 'complete' }
  return { kind: 'left', ms, for: ms === windowMs ? 'window' : ms === samplesMs ? 'samples' : 'bound' }
}
