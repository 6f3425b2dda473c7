import { geometricMean, median, quantile, quantileSorted } from 'simple-statistics'

/** The latencies of one turn on both sides, measured within seconds of each other. */
interface LatencyPair {
  off: readonly number[]
  on: readonly number[]
}

/** An estimate with its 95 % interval. */
export interface Estimate {
  value: number
  low: number
  high: number
}

export interface Comparison {
  offMs: number
  onMs: number
  /** On divided by off. */
  ratio: Estimate
  /** On minus off. */
  differenceMs: Estimate
  /** The ratio in each bootstrap sample. */
  drawnRatios: readonly number[]
}

/** Reduces one side's turns to a number. */
type Summary = (turns: readonly (readonly number[])[]) => number

const resamples = 1000

/** A quantile over the requests of all turns: what a client experiences over the whole time. */
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

/** The median of the turns' own quantiles, so that turns disturbed by a pause of the machine do not decide it. */
export const quantileOfMedianTurn =
  (q: number): Summary =>
  (turns) =>
    median(turns.map((turn) => quantile([...turn], q)))

/**
 * Compares mirroring on with off. The intervals are from a bootstrap that resamples whole turns (percentile method):
 * requests within a turn share the machine's pauses and are not independent, but turns are.
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

/** The geometric mean of the ratios of separately measured comparisons. */
export function meanRatio(comparisons: readonly Comparison[]): Estimate {
  const drawn = Array.from({ length: resamples }, (_, i) =>
    geometricMean(comparisons.map(({ drawnRatios }) => drawnRatios[i]!)),
  )
  return { value: geometricMean(comparisons.map(({ ratio }) => ratio.value)), ...boundsOf(drawn) }
}

const boundsOf = (values: number[]) => ({ low: quantile(values, 0.025), high: quantile(values, 0.975) })
