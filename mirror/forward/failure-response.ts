import { field } from '../http1/fields.ts'
import type { LiveEnd } from '../live/live-watch.ts'
import type { WholeAnswer } from './set-aside.ts'

/** What a client gets when no upstream answered. */
export const failureResponse = (end: LiveEnd): WholeAnswer & { status: 502 | 504 } =>
  end === 'timedOut'
    ? failure(504, 'Gateway Timeout', 'UPSTREAM_TIMED_OUT', 'the upstream did not answer in time')
    : failure(502, 'Bad Gateway', 'UPSTREAM_UNREACHABLE', 'the upstream could not be reached or broke the connection')

function failure<Status extends number>(status: Status, reason: string, code: string, message: string) {
  const body = Buffer.from(JSON.stringify({ code, message }))
  const fields = [field('Content-Type', 'application/json'), field('Content-Length', String(body.length))]
  return { status, reason, fields, body }
}
