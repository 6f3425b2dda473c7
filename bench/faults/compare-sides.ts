import { geometricMean, median, quantile, quantileSorted } from 'simple-statistics'

/** One turn's latencies on both sides, measured within seconds of each other. */
interface LatencyPair {
  off: readonly number[]
  on: readonly number[]
}

/** With the bounds of its 95 % interval. */
export interface Estimate {
  value: number
  low: number
  high: number
}

export interface Comparison {
  offMs: number
  onMs: number
  /** On over off. */
  ratio: Estimate
  /** On less off. */
  differenceMs: Estimate
  /** The ratio in each draw of the bootstrap. */
  drawnRatios: readonly number[]
}

/** Of one side's turns. */
type Summary = (turns: readonly (readonly number[])[]) => number

const resamples = 1000

/** A quantile of all requests of all turns: what a client meets who stays for all of it. */
export const quantileOfAll =
  (q: number): Summary =>
  (turns) => {
    const pooled = new Float64Array(turns.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const turn of turns) {
      pooled.set(turn, at)
      at += turn.length
    }
    pooled.sort()
    return quantileSorted(pooled as unknown as number[], q)
  }

/** The median of the turns' own quantiles: those that met a pause of the machine do not decide it. */
export const quantileOfMedianTurn =
  (q: number): Summary =>
  (turns) =>
    median(turns.map((turn) => quantile([...turn], q)))

/**
 * Mirroring on against off. The intervals are those of a bootstrap that draws whole turns with replacement (percentile
 * method): requests of one turn meet the same pauses of the machine and are not independent, turns are.
 */
export function compareSides(turns: readonly LatencyPair[], summary: Summary, random = Math.random): Comparison {
  const summaries = (draw: readonly LatencyPair[]) => ({
    off: summary(draw.map(({ off }) => off)),
    on: summary(draw.map(({ on }) => on)),
  })
  const measured = summaries(turns)
  const drawn = Array.from({ length: resamples }, () =>
    summaries(turns.map(() => turns[Math.floor(random() * turns.length)]!)),
  )
  const drawnRatios = drawn.map(({ off, on }) => on / off)
  return {
    offMs: measured.off,
    onMs: measured.on,
    drawnRatios,
    ratio: { value: measured.on / measured.off, ...boundsOf(drawnRatios) },
    differenceMs: { value: measured.on - measured.off, ...boundsOf(drawn.map(({ off, on }) => on - off)) },
  }
}

/** The geometric mean of the ratios of comparisons that were measured apart. */
export function meanRatio(comparisons: readonly Comparison[]): Estimate {
  const drawn = Array.from({ length: resamples }, (_, i) =>
    geometricMean(comparisons.map(({ drawnRatios }) => drawnRatios[i]!)),
  )
  return { value: geometricMean(comparisons.map(({ ratio }) => ratio.value)), ...boundsOf(drawn) }
}

const boundsOf = (values: number[]) => ({ low: quantile(values, 0.025), high: quantile(values, 0.975) })
