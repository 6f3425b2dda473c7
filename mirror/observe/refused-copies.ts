import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

const logEveryMs: Milliseconds = 60_000

/**
 * Warns of copies refused for lack of credentials although their live requests were not: one line a minute per
 * validation.
 */
export function refusedCopiesLog(clock: Clock, logger: Logger): (validation: string, status: number) => void {
  const pace = new LogPace(logEveryMs, clock)
  return (validation, status) => {
    if (pace.due(validation) === undefined) return
    logger.warn(
      { validation, status },
      'a copy was refused where its live request was not: copies carry no client credentials; shadow.allowHeaders passes a header on, headers.set sets your own',
    )
  }
}
