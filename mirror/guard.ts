import type { Clock } from '../runtime/clock.ts'
import { LogPace } from '../runtime/log-pace.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Milliseconds } from '../vocabulary/units.ts'

export const guarded = [
  'answering a client',
  'beginning a trace',
  'beginning an exchange',
  'building a shadow request',
  'building an observation',
  'choosing another upstream',
  'deciding what is mirrored',
  'forwarding a request',
  'passing trailers on',
  'reading a request',
  'reading an answer',
  'the end of a live request',
  'the end of a request',
  'the end of a shadow request',
  'upgrading a connection',
  'watching a response',
] as const
export type Guarded = (typeof guarded)[number]

/** Runs a step whose errors must not reach a client's stream. Returns whether it succeeded. */
export type Guard = (what: Guarded, step: () => void) => boolean

/** A bug may throw on every request: the metric counts every failure, the log shows one a second. */
const logEveryMs: Milliseconds = 1000

/** `failed` is called on every failure. */
export function createGuard(logger: Logger, clock: Clock, failed: (what: Guarded) => void): Guard {
  const pace = new LogPace(logEveryMs, clock)
  return (what, step) => {
    try {
      step()
      return true
    } catch (error) {
      failed(what)
      if (pace.due(what) !== undefined) {
        logger.error({ err: error, doing: what }, 'the mirror failed, outside the live traffic')
      }
      return false
    }
  }
}
