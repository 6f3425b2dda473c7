import { expect, onTestFinished, test } from 'vitest'
import { ByteBudget } from '../capture/byte-budget.ts'
import { field } from '../http1/fields.ts'
import type { LegWatch, LiveEnd, LiveFailure, WhyPassedOn } from '../live/live-watch.ts'
import { createUpstream } from '../upstream/upstream.ts'
import { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { Leg, LiveChoice, LiveStage } from './live-stage.ts'
import { type NextTry, Tries } from './tries.ts'

/** How a leg ended; `kept`: on a connection that had served before. A number is the status of an answer. */
type End = LiveFailure | 'aborted' | 'reset, kept' | 500 | 502 | 503 | 504

interface Live {
  /** How many upstreams the primary and the live candidate have; without any, no candidate is live. */
  primaries?: number
  candidates?: number
  replayMax?: number
  memoryMax?: number
}

function groupOf(name: string, count: number) {
  const upstreams = Array.from({ length: count }, (_, i) => createUpstream(`http://${name}${i + 1}`, 1000))
  onTestFinished(() => {
    for (const upstream of upstreams) upstream.close()
  })
  return new UpstreamGroup(upstreams, 60_000, { now: () => 0, monotonic: () => 0 })
}

function liveRequest(method: string, { primaries = 1, candidates = 0, replayMax = 1000, memoryMax = 1000 }: Live) {
  const heard: string[] = []
  const watchOf = (who: string): LegWatch => ({
    responded() {},
    responseData() {},
    ended: (end: LiveEnd) => void heard.push(`${who} ${end}`),
  })
  const primary = groupOf('primary', primaries)
  const candidate = candidates > 0 ? groupOf('candidate', candidates) : undefined
  const fallback = (why: WhyPassedOn) => {
    heard.push(`passed on: ${why}`)
    return { upstreams: primary, watch: watchOf('primary') }
  }
  const response = candidate ? { ...watchOf('candidate'), fallback } : watchOf('primary')
  const choice = { upstreams: candidate ?? primary, response } as LiveChoice
  const budget = new ByteBudget(memoryMax)
  const guard: LiveStage['guard'] = (_, step) => {
    step()
    return true
  }
  const tries = new Tries(method, choice, { budget, replayMax, guard } as LiveStage)
  const first = tries.first(choice)
  const after = (leg: Leg, end: End): NextTry | undefined =>
    typeof end === 'number'
      ? tries.afterAnswer(leg, { status: end, reason: '', fields: [field('Content-Length', '4')] })
      : tries.after(leg, end === 'reset, kept' ? 'reset' : end, end === 'reset, kept')
  return { tries, first, after, primary, budget, heard }
}

const nameOf = ({ upstream }: Leg) => upstream.target.hostname

/** Every upstream that a request asks if its legs end like this, up to the one after the last. */
function asked(method: string, live: Live, ends: readonly End[]) {
  const { first, after, heard } = liveRequest(method, live)
  const names = [nameOf(first)]
  let leg = first
  for (const end of ends) {
    const next = after(leg, end)
    if (!next) return { names: [...names, 'nobody'], heard }
    names.push(next.isFresh ? `${nameOf(next.leg)}, fresh` : nameOf(next.leg))
    leg = next.leg
  }
  return { names, heard }
}

const two: Live = { primaries: 2 }

test.each<[string, string, Live, End[], string[]]>([
  ['a POST that broke', 'POST', two, ['reset'], ['nobody']],
  ['a POST that broke on a kept connection', 'POST', two, ['reset, kept'], ['nobody']],
  ['a POST that was not sent', 'POST', two, ['refused', 'refused'], ['primary2', 'nobody']],
  ['a POST that we could not send', 'POST', two, ['shed', 'shed'], ['primary2', 'nobody']],
  ['a POST that was not sent and then broke', 'POST', { primaries: 3 }, ['refused', 'reset'], ['primary2', 'nobody']],
  ['a PUT that broke', 'PUT', two, ['reset', 'reset'], ['primary2', 'nobody']],
  [
    'a PUT that broke on a kept connection',
    'PUT',
    two,
    ['reset, kept', 'reset', 'reset, kept'],
    ['primary1, fresh', 'primary2', 'nobody'],
  ],
  ['a lone primary’s PUT on a kept connection', 'PUT', {}, ['reset, kept', 'reset'], ['primary1, fresh', 'nobody']],
  ['a lone primary’s GET', 'GET', {}, ['reset'], ['nobody']],
  ['a GET that timed out', 'GET', two, ['timedOut'], ['nobody']],
  ['a GET whose client has left', 'GET', two, ['aborted'], ['nobody']],
  ['a GET that got a 503', 'GET', two, [503], ['nobody']],
])('%s goes to …', (_, method, live, ends, expected) => {
  expect(asked(method, live, ends).names).toEqual(['primary1', ...expected])
})

test.each<[End, string]>([
  ['reset', 'reset'],
  ['reset, kept', 'reset'],
  ['refused', 'refused'],
  ['shed', 'shed'],
  ['timedOut', 'timedOut'],
  ['aborted', 'aborted'],
])('where a lone candidate is live, a POST that ended as %j goes to the primary', (end, why) => {
  const { names, heard } = asked('POST', { candidates: 1 }, [end])
  expect(names).toEqual(['candidate1', 'primary1'])
  expect(heard, 'once each').toEqual([`passed on: ${why}`, `candidate ${why}`])
})

test.each([502, 503, 504] as const)('where a candidate is live, its %d goes to the primary', (status) => {
  const { names, heard } = asked('POST', { candidates: 2 }, [status])
  expect(names).toEqual(['candidate1', 'primary1'])
  // the candidate's answer is still under way
  expect(heard).toEqual([`passed on: ${status}`])
})

test('a candidate’s other errors are its answer', () => {
  expect(asked('POST', { candidates: 1 }, [500])).toEqual({ names: ['candidate1', 'nobody'], heard: [] })
})

test('all of a candidate’s upstreams are asked before the primary’s', () => {
  const { names, heard } = asked('POST', { candidates: 2, primaries: 2 }, Array(4).fill('refused'))
  expect(names).toEqual(['candidate1', 'candidate2', 'primary1', 'primary2', 'nobody'])
  expect(heard).toEqual(['passed on: refused', 'candidate refused'])
})

test('an answer in a candidate’s place says so, whichever primary gives it', () => {
  const { first, after } = liveRequest('POST', { candidates: 1, primaries: 2 })
  const one = after(first, 'timedOut')!
  const other = after(one.leg, 'refused')!
  expect([first, one.leg, other.leg].map(({ passedOn }) => passedOn)).toEqual([undefined, 'timedOut', 'timedOut'])
})

test.each([
  ['could not be reached is asked by no other request for a while', 'refused', false],
  ['we had no descriptor for is asked again at once', 'shed', true],
  ['broke the connection is asked again at once', 'reset', true],
] as const)('a primary that %s', (_, end, isAsked) => {
  const { first, after, primary } = liveRequest('GET', two)
  after(first, end)
  expect([primary.next(), primary.next()].includes(first.upstream)).toBe(isAsked)
})

test.each([
  ['GET', true],
  ['HEAD', true],
  ['OPTIONS', true],
  ['TRACE', true],
  ['PUT', true],
  ['DELETE', true],
  ['POST', false],
  ['PATCH', false],
  ['get', false],
])('a %s that an upstream may have acted on is sent twice: %j', (method, isSentTwice) => {
  expect(asked(method, two, ['reset']).names[1]).toBe(isSentTwice ? 'primary2' : 'nobody')
})

test.each<[string, Live, number, string]>([
  ['that arrived so far goes with the next try', { candidates: 1 }, 11, 'xxxxxxxxxxx'],
  ['as large as may be held does too', { candidates: 1, replayMax: 11 }, 11, 'xxxxxxxxxxx'],
  ['that is larger is not sent twice', { candidates: 1, replayMax: 9 }, 0, 'nobody'],
  ['that memory has no room for is not sent twice', { candidates: 1, memoryMax: 9 }, 0, 'nobody'],
  ['that nobody else would get is not held', {}, 0, 'nobody'],
])('a body %s', (_, live, held, sent) => {
  const { tries, first, after, budget } = liveRequest('POST', live)
  for (const piece of ['xxxx', 'xxxxxx', 'x']) tries.keep(Buffer.from(piece))
  expect(budget.held).toBe(held)
  const next = after(first, 'refused')
  expect(next ? Buffer.concat(next.body).toString() : 'nobody').toBe(sent)
  expect(budget.held, 'still needed if that try fails').toBe(held)
  tries.drop()
  expect(budget.held).toBe(0)
  expect(after(first, 'refused'), 'once an answer has begun').toBe(undefined)
})

test.each([
  ['POST', 'full'],
  ['HEAD', ''],
])('a candidate’s 503 to a %s is set aside whole until another answer begins', (method, body) => {
  const { tries, first, after, budget } = liveRequest(method, { candidates: 1 })
  expect(tries.setAside).toBe(undefined)
  const { leg } = after(first, 503)!
  tries.setAside!.add(Buffer.from(body))
  tries.setAside!.ended(true)
  expect(after(leg, 'refused')).toBe(undefined)
  const fields = [{ line: 'Content-Length: 4' }]
  expect(tries.setAside!.answer).toMatchObject({ status: 503, fields, body: Buffer.from(body) })
  expect(budget.held).toBe(body.length)
  tries.drop()
  expect(budget.held).toBe(0)
})

test('a candidate’s answer is not set aside if the request cannot be sent again', () => {
  const { tries, first, after } = liveRequest('POST', { candidates: 1, replayMax: 1 })
  tries.keep(Buffer.from('{}'))
  expect(after(first, 503)).toBe(undefined)
  expect(tries.setAside).toBe(undefined)
})
