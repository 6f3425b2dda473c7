import type { Milliseconds } from '../../vocabulary/units.ts'
import { CliFailure } from '../failure.ts'
import type { LatencyLimit } from './measure.ts'
import type { Row } from './rows.ts'

/** Fails after the first configuration if nothing was answered, because the others would not be either. */
export function requireAnswers(
  rows: readonly Row[],
  { limit, windowMs }: { limit: LatencyLimit; windowMs: Milliseconds },
): void {
  if (rows.length !== 1) return
  const [row] = rows as [Row]
  if (row.kind === 'failed') throw new CliFailure(row.message)
  const { requests, failures, failureExample } = row.best
  // with a limit no longer than the window, no answer is a valid result: the limit is broken
  if (requests === 0 && (limit.latencyMs ?? Number.POSITIVE_INFINITY) > windowMs) {
    throw new CliFailure('no request ended within a window: give a longer --window')
  }
  if (requests > 0 && requests === failures) {
    throw new CliFailure(`all ${requests} requests failed: ${failureExample}; expected requests that the model answers`)
  }
}
