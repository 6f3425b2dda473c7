import { describe, expect, test } from 'vitest'
import { drawnSteps } from './drawn-steps.ts'

describe('drawn steps', () => {
  test('leave out groups without a value in any step', () => {
    const unknown = { mae: null, accuracy: { drift: null }, latency: { primary: { p50: null }, queue: { p50: null } } }
    const known = { mae: null, accuracy: { drift: null }, latency: { primary: { p50: 12 }, queue: { p50: null } } }
    expect(drawnSteps([unknown, known])).toEqual([
      { mae: null, latency: { primary: { p50: null } } },
      { mae: null, latency: { primary: { p50: 12 } } },
    ])
  })

  test('have no paths, even if only some steps have groups', () => {
    const steps = drawnSteps([{ samples: 0 }, { samples: 1, worstPaths: { '/a': 1 }, failed: { timedOut: 1 } }])
    expect(steps).toEqual([
      { samples: 0, failed: {} },
      { samples: 1, failed: { timedOut: 1 } },
    ])
  })

  test('have six digits, but exact counts', () => {
    expect(drawnSteps([{ mae: 0.123456789, samples: 12_345_678 }])).toEqual([{ mae: 0.123457, samples: 12_345_678 }])
  })
})
