import { median } from 'simple-statistics'
import type { Sample } from './sample.ts'
import { slopeOf } from './slope.ts'

/** Growth of the resident memory over the second half of the run, from its slope, in bytes. */
export interface MemoryGrowth {
  bytes: number
  standardError: number
  overMs: number
  medianBytes: number
  verdict: 'flat' | 'grows' | 'inconclusive'
}

/** Relative to the median. */
export const growthMax = 0.05
const standardErrors = 2

export function judgeMemory(samples: readonly Sample[]): MemoryGrowth {
  const half = samples.slice(Math.floor(samples.length / 2))
  const overMs = half.at(-1)!.atMs - half[0]!.atMs
  const { slope, standardError: perMs } = slopeOf(half.map(({ atMs, rssBytes }) => [atMs, rssBytes]))
  const [bytes, standardError] = [slope * overMs, perMs * overMs]
  const medianBytes = median(half.map(({ rssBytes }) => rssBytes))
  const limit = growthMax * medianBytes
  const isFlat = bytes + standardErrors * standardError <= limit
  const isGrowing = bytes - standardErrors * standardError > limit
  return { bytes, standardError, overMs, medianBytes, verdict: isFlat ? 'flat' : isGrowing ? 'grows' : 'inconclusive' }
}
