import type { LiveEnd } from './live-watch.ts'

/** What a client is told where no upstream answered. */
export function failureResponse(end: LiveEnd): { status: 502 | 504; reason: string; body: string } {
  return end === 'timedOut'
    ? {
        status: 504,
        reason: 'Gateway Timeout',
        body: JSON.stringify({ code: 'UPSTREAM_TIMED_OUT', message: 'the upstream did not answer in time' }),
      }
    : {
        status: 502,
        reason: 'Bad Gateway',
        body: JSON.stringify({
          code: 'UPSTREAM_UNREACHABLE',
          message: 'the upstream could not be reached or broke the connection',
        }),
      }
}
