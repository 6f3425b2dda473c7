import { expect, test } from 'vitest'
import { newSpanId, newTrace, parseTraceparent, traceparentOf } from './traceparent.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test.each([
  [`00-${traceId}-${spanId}-01`, { traceId, spanId, flags: 1 }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, flags: 0 }],
  [`00-${traceId}-${spanId}-ff`, { traceId, spanId, flags: 3 }],
  [`cc-${traceId}-${spanId}-01-what-comes-later`, { traceId, spanId, flags: 1 }],
])('%s is valid', (text, parent) => {
  expect(parseTraceparent(text)).toEqual(parent)
})

test.each([
  undefined,
  '',
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])('%s is invalid', (text) => {
  expect(parseTraceparent(text)).toBeUndefined()
})

test('generated values are valid and never repeat', () => {
  const made = Array.from({ length: 1000 }, () => ({ ...newTrace(), spanId: newSpanId() }))
  for (const parent of made) expect(parseTraceparent(traceparentOf(parent))).toEqual(parent)
  expect(new Set(made.flatMap((one) => [one.traceId, one.spanId])).size).toBe(2000)
})
