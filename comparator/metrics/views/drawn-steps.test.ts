import { describe, expect, test } from 'vitest'
import { drawnSteps } from './drawn-steps.ts'

describe('drawn steps', () => {
  test('leave out groups without a value in any step', () => {
    const step = (primary: { p50: number | null; p95: null }) => ({
      mae: null,
      accuracy: { drift: null },
      latency: { primary, queue: { p50: null } },
    })
    const [unknown, known] = [
      { p50: null, p95: null },
      { p50: 12, p95: null },
    ]
    expect(drawnSteps([step(unknown), step(known)])).toEqual([
      { mae: null, latency: { primary: unknown } },
      { mae: null, latency: { primary: known } },
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
