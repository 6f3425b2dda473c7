import { expect, test } from 'vitest'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { timeLeft } from './time-left.ts'

const dayMs = 86_400_000

const flowing = { quietSince: null, lastSeenAt: null, mirror: null }
const quiet = { ...flowing, quietSince: '2026-11-02T00:00:00Z' }

function left(
  window: Partial<ValidationView['window']>,
  glance: Partial<ValidationView['glance']> = {},
  arriving: ValidationView['arriving'] = flowing,
) {
  const full = { beganAt: '2026-11-01T00:00:00Z', durationMs: 30 * dayMs, spannedMs: 30 * dayMs }
  return timeLeft({
    window: { ...full, samples: 10_000, samplesMin: 10_000, ...window } as ValidationView['window'],
    glance: { samplesPerMinute: 100, deciding: null, decides: null, ...glance },
    arriving,
    lastObservationAt: null,
    exchanges: { seen: 0, compared: 0, skipped: {} },
  })
}

test('a window that is full and has its samples is complete', () => {
  expect(left({})).toEqual({ kind: 'complete' })
  expect(left({}, { samplesPerMinute: 0 }, quiet)).toEqual({ kind: 'complete' })
})

test('whatever takes longest counts', () => {
  expect(left({ spannedMs: 28 * dayMs })).toEqual({ kind: 'left', ms: 2 * dayMs, for: 'window' })
  expect(left({ samples: 4_000 })).toEqual({ kind: 'left', ms: 3_600_000, for: 'samples' })
  const deciding = { forecast: { observations: 100, hours: 5 } } as ValidationView['glance']['deciding']
  expect(left({}, { deciding })).toEqual({ kind: 'left', ms: 5 * 3_600_000, for: 'bound' })
})

test('a full window that is held by its newest evidence says so', () => {
  const decides = { metric: 'agreement', noForecast: { because: 'newest' } } as ValidationView['glance']['decides']
  expect(left({}, { decides })).toEqual({ kind: 'held' })
  expect(left({ spannedMs: 28 * dayMs }, { decides })).toMatchObject({ kind: 'left', for: 'window' })
})

test('if the window never holds the samples at this rate, waiting does not help', () => {
  const decides = { metric: 'samples', noForecast: { because: 'beyondWindow', hours: 269, windows: 1.6 } }
  const glance = { decides: decides as ValidationView['glance']['decides'] }
  expect(left({ samples: 280, spannedMs: 3 * dayMs }, glance)).toEqual({ kind: 'beyond' })
  expect(left({ samples: 280, spannedMs: dayMs }, { ...glance, samplesPerMinute: 0 }, quiet)).toEqual({
    kind: 'stalled',
  })
})

test('without traffic nothing is promised, and before the first observation there is no estimate', () => {
  expect(left({ samples: 1 }, { samplesPerMinute: 0 }, quiet)).toEqual({ kind: 'stalled' })
  expect(left({ spannedMs: dayMs }, { samplesPerMinute: 0 }, quiet)).toEqual({ kind: 'stalled' })
  const deciding = { forecast: { observations: 100, hours: 5 } } as ValidationView['glance']['deciding']
  expect(left({}, { samplesPerMinute: 0, deciding }, quiet)).toEqual({ kind: 'stalled' })
  expect(left({ samples: 0 }, { samplesPerMinute: 0 })).toEqual({ kind: 'stalled' })
  expect(left({ beganAt: null, spannedMs: 0, samples: 0 }, { samplesPerMinute: null })).toEqual({ kind: 'none' })
})

test('where exchanges are rare, minutes without any promise no less than the window does', () => {
  expect(left({ samples: 5_000 }, { samplesPerMinute: 0 })).toEqual({ kind: 'left', ms: 30 * dayMs, for: 'samples' })
})
