import { setTimeout } from 'node:timers/promises'
import type { Milliseconds } from '../vocabulary/units.ts'

/** Resolves early when `signal` aborts; never rejects. */
export const pause = (ms: Milliseconds, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => {})
