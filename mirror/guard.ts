import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Milliseconds } from '../vocabulary/units.ts'

/** Runs a step that must not throw into a client's stream; says whether it went well. */
export type Guard = (what: string, step: () => void) => boolean

/** A fault of ours may come with every request: the metric counts each, the log has one a second. */
const logEveryMs: Milliseconds = 1000

/** `failed` is told of every failure, by what was being done: a name from a short list. */
export function createGuard(logger: Logger, clock: Clock, failed: (what: string) => void): Guard {
  const lastLogged = new Map<string, Milliseconds>()
  return (what, step) => {
    try {
      step()
      return true
    } catch (error) {
      failed(what)
      const now = clock.monotonic()
      if (now - (lastLogged.get(what) ?? Number.NEGATIVE_INFINITY) >= logEveryMs) {
        lastLogged.set(what, now)
        logger.error({ err: error, doing: what }, 'the mirror failed beside the live traffic')
      }
      return false
    }
  }
}
