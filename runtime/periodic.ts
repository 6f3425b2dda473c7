import type { Milliseconds } from '../vocabulary/units.ts'
import type { Logger } from './logger.ts'

/**
 * Runs a job repeatedly, never twice at once; a failure is logged and the next run still comes. Returns a function that
 * stops it.
 */
export function startPeriodic(
  name: string,
  intervalMs: Milliseconds,
  job: () => Promise<unknown>,
  logger: Logger,
): () => Promise<void> {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const schedule = () => {
    if (!stopped) timer = setTimeout(run, intervalMs)
  }
  const run = () => {
    running = job()
      .then(
        () => {},
        (error: unknown) => logger.error({ err: error, job: name }, 'a periodic job failed'),
      )
      .then(schedule)
  }
  schedule()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
