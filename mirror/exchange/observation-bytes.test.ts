import { expect, test } from 'vitest'
import type { Observation } from '../../vocabulary/observation.ts'
import { observationBytes } from './observation-bytes.ts'

const long = Buffer.alloc(50_000, 'ab"\u0001ü').toString('base64')

function observation(request: string, primary: string, candidate: string): Observation {
  const encoded = (body: string) => ({ body, bodyEncoding: body === long ? ('base64' as const) : ('utf8' as const) })
  const headers = { 'content-type': 'application/json', body: '', 'x-tricky': '"body":"\\u0001"' }
  const answered = { kind: 'answered' as const, status: 200, headers, ttfbMs: 1, totalMs: 2 }
  return {
    id: '0193b2f0-0000-7000-8000-000000000000',
    validation: 'v',
    at: '2026-11-21T08:00:00.000Z',
    correlationId: '\u0001',
    live: 'primary',
    request: { method: 'POST', path: '/p?a="\\u0001"', headers, ...encoded(request) },
    primary: { ...answered, ...encoded(primary) },
    candidate: { ...answered, ...encoded(candidate) },
  }
}

test('the bytes are those of JSON.stringify, wherever long bodies are', () => {
  const short = '{"text":"ü \\" \u0001"}'
  for (const request of [short, long]) {
    for (const primary of [short, long]) {
      for (const candidate of [short, long]) {
        const one = observation(request, primary, candidate)
        expect(JSON.parse(observationBytes(one).toString())).toEqual(one)
      }
    }
  }
  const failed = { ...observation(long, short, short), candidate: { kind: 'timedOut' as const, totalMs: 3 } }
  expect(JSON.parse(observationBytes(failed).toString())).toEqual(failed)
})
