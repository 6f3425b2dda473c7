import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

/** Per validation. */
const lineEveryMs: Milliseconds = 10_000

/**
 * Logs why the comparator rejects items of one kind. If it does not know a validation, it rejects all of that
 * validation's.
 */
export function rejectionLog(
  item: 'an observation' | 'a coverage report',
  clock: Clock,
  logger: Logger,
): (validation: string, reason: string) => void {
  const pace = new LogPace(lineEveryMs, clock)
  return (validation, reason) => {
    const leftOut = pace.due(validation)
    if (leftOut !== undefined) logger.warn({ validation, reason, leftOut }, `the comparator rejected ${item}`)
  }
}
