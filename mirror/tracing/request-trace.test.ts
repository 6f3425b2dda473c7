import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { LiveRecord } from '../live/live-record.ts'
import { parseTarget } from '../upstream/target.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { RequestTrace } from './request-trace.ts'
import type { FinishedSpan } from './span.ts'

const request = {
  method: 'GET',
  target: '/',
  fields: [],
  clientAddress: undefined,
  isTls: false,
  httpVersion: '1.1',
}
const upstream = { target: parseTarget('http://127.0.0.1:9') } as Upstream

test.each([
  ['answered', 200, []],
  ['answered', 404, ['client']],
  ['answered', 503, ['client', 'server']],
  ['timedOut', 200, ['client', 'server']],
  ['reset', 200, ['client', 'server']],
  ['aborted', 200, ['client']],
] as const)('an answer that ended as %s, with status %i, fails these spans: %j', (end, status, kinds) => {
  const failed: FinishedSpan['kind'][] = []
  const trace = new RequestTrace(request, undefined, systemClock, ({ kind, isError }) => {
    if (isError) failed.push(kind)
  })
  const record = new LiveRecord(request, trace.traceId)
  trace.sent('127.0.0.1:9')
  record.responded(status, [])
  record.over(end, upstream, undefined)
  trace.ended(record, undefined)
  expect(failed).toEqual(kinds)
})
