import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { BodyCapture } from '../capture/body-capture.ts'
import { ByteBudget } from '../capture/byte-budget.ts'
import { field } from '../http1/fields.ts'
import { LiveLeg } from './live-leg.ts'

const version = field('X-Model-Version', '7')

test.each([
  ['complete before the answer began is timed from then', 30, { ttfbMs: 10, totalMs: 20 }],
  ['complete only after that is timed from its beginning', 45, { ttfbMs: 40, totalMs: 50 }],
  ['never complete is timed from its beginning too', undefined, { ttfbMs: 40, totalMs: 50 }],
])('a request that was %s', (_, requestEndedAt, times) => {
  let now = 0
  const clock = { ...systemClock, monotonic: () => now }
  const leg = new LiveLeg(clock, new BodyCapture(new ByteBudget(1000), 1000))
  now = 40
  leg.responded(200, [])
  now = 50
  expect(leg.outcome('answered', requestEndedAt)).toMatchObject({ kind: 'answered', ...times })
})

test.each([
  ['timedOut', 'answer', 'timedOut'],
  ['reset', 'answer', 'reset'],
  ['answered', 'longer than the limit', 'tooLarge'],
] as const)('an answer that ended as %s after “%s” is %s', (end, text, kind) => {
  const leg = new LiveLeg(systemClock, new BodyCapture(new ByteBudget(1000), 10))
  leg.responded(200, [version])
  leg.body.add(Buffer.from(text))
  // the model that failed is known by its head
  expect(leg.outcome(end, undefined)).toMatchObject({ kind, fields: [version] })
})
