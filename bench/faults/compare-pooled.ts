import { geometricMean, quantile, quantileSorted } from 'simple-statistics'

/** One turn's latencies on both sides, measured within seconds of each other. */
export interface LatencyPair {
  off: readonly number[]
  on: readonly number[]
}

/** With the bounds of its 95 % interval. */
export interface Estimate {
  value: number
  low: number
  high: number
}

export interface PooledComparison {
  offMs: number
  onMs: number
  /** On over off. */
  ratio: Estimate
  /** On less off. */
  differenceMs: Estimate
  /** The ratio in each draw of the bootstrap. */
  drawnRatios: readonly number[]
}

const resamples = 1000

/**
 * A quantile of all requests of all turns, mirroring on against off. The intervals are those of a bootstrap that draws
 * whole turns with replacement (percentile method): requests of one turn meet the same pauses of the machine and are not
 * independent, turns are.
 */
export function comparePooled(turns: readonly LatencyPair[], q: number, random = Math.random): PooledComparison {
  const [offMs, onMs] = [pooledQuantile(turns, 'off', q), pooledQuantile(turns, 'on', q)]
  const drawn = Array.from({ length: resamples }, () => {
    const draw = turns.map(() => turns[Math.floor(random() * turns.length)]!)
    return { off: pooledQuantile(draw, 'off', q), on: pooledQuantile(draw, 'on', q) }
  })
  const drawnRatios = drawn.map(({ off, on }) => on / off)
  return {
    offMs,
    onMs,
    drawnRatios,
    ratio: { value: onMs / offMs, ...boundsOf(drawnRatios) },
    differenceMs: { value: onMs - offMs, ...boundsOf(drawn.map(({ off, on }) => on - off)) },
  }
}

/** The geometric mean of the ratios of comparisons that were measured apart. */
export function meanRatio(comparisons: readonly PooledComparison[]): Estimate {
  const drawn = Array.from({ length: resamples }, (_, i) =>
    geometricMean(comparisons.map(({ drawnRatios }) => drawnRatios[i]!)),
  )
  return { value: geometricMean(comparisons.map(({ ratio }) => ratio.value)), ...boundsOf(drawn) }
}

function pooledQuantile(turns: readonly LatencyPair[], side: keyof LatencyPair, q: number): number {
  const pooled = new Float64Array(turns.reduce((sum, turn) => sum + turn[side].length, 0))
  let at = 0
  for (const turn of turns) {
    pooled.set(turn[side], at)
    at += turn[side].length
  }
  pooled.sort()
  return quantileSorted(pooled as unknown as number[], q)
}

const boundsOf = (values: number[]) => ({ low: quantile(values, 0.025), high: quantile(values, 0.975) })
