/** What one unit of time (a bucket, a group of a jackknife) holds: sum − θ·n, and the n that it weighs. */
export interface Deviation {
  deviation: number
  weight: number
}

/** Neighbours are merged in pairs, as long as this many blocks remain to tell their spread. */
const blocksMin = 8
/** With fewer units' worth of independent evidence, the spread itself is unknown. */
const unitsMin = 4

/**
 * Standard error of Σsum/Σn over units in the order of time, that holds where neighbours are alike: the widest of
 * the errors over blocks of 1, 2, 4, … units (batch means: Schmeiser 1982; Flegal and Jones 2010). Each is
 * - leverage-corrected, every deviation by 1/(1 − its share of the weight) (CR3: Bell and McCaffrey 2002), so that one
 *   heavy hour does not hide its own deviation by pulling the mean;
 * - inflated by √((1+r)/(1−r)), with r the blocks' lag-1 correlation less its bias of −(1+3r)/t (Marriott and Pope
 *   1954), as for a first-order autoregression (Thiébaux and Zwiers 1984): blocks that still go together count as fewer;
 * - widened by Student's standard deviation √((u−1)/(u−3)), with u the units' worth of independent evidence: Kish's
 *   (Σn)²/Σn², over that inflation.
 * `null` where less than four units' worth are left, or a number is not finite.
 */
export function longRunError(units: Deviation[]): number | null {
  const finest = errorOver(units, 0)
  if (finest === null || finest.worthAtMost < unitsMin) return null
  let widest = widened(finest)
  for (let blocks = inPairs(units); blocks.length >= blocksMin; blocks = inPairs(blocks)) {
    // Of few blocks, a correlation counts as far as it is more than chance: one standard error, 1/√t.
    const error = errorOver(blocks, 1 / Math.sqrt(blocks.length))
    if (error !== null) widest = Math.max(widest, widened(error))
  }
  return Number.isFinite(widest) ? widest : null
}

/**
 * Lag-1 correlation of the units, less its bias of −(1+3r)/t. `null` below sixteen of them: it would say too little.
 */
export function neighbourCorrelation(units: Deviation[]): number | null {
  return units.length < 2 * blocksMin ? null : (errorOver(units, 0)?.correlation ?? null)
}

interface BlockError {
  error: number
  /** Of each block with the next. */
  correlation: number
  /** Units' worth of independent evidence; at most, by the correlation as it shows, before it is corrected. */
  worth: number
  worthAtMost: number
}

function errorOver(blocks: Deviation[], chance: number): BlockError | null {
  let weight = 0
  let weightSq = 0
  for (const block of blocks) {
    weight += block.weight
    weightSq += block.weight ** 2
  }
  if (blocks.length < 2 || !(weight > 0)) return null
  let squares = 0
  let products = 0
  let previous = 0
  for (const block of blocks) {
    const rest = 1 - block.weight / weight
    const deviation = rest > 0 ? block.deviation / rest : 0
    squares += deviation ** 2
    products += previous * deviation
    previous = deviation
  }
  const count = blocks.length
  const shown = squares > 0 ? products / squares : 0
  const correlation = squares > 0 ? shown + (1 + 3 * shown) / count : 0
  const inflation = inflationAt(correlation - chance)
  // The leverages already hold the factor t/(t−1) of equal weights, twice.
  const error = Math.sqrt(((count - 1) / count) * squares * inflation) / weight
  const kish = weight ** 2 / weightSq
  return { error, correlation, worth: kish / inflation, worthAtMost: kish / inflationAt(shown) }
}

function inflationAt(correlation: number): number {
  const r = Math.min(correlationMax, Math.max(0, correlation))
  return (1 + r) / (1 - r)
}

/** A random walk has no mean to bound. */
const correlationMax = 0.97

function widened({ error, worth }: BlockError): number {
  const units = Math.max(unitsMin, worth)
  return error * Math.sqrt((units - 1) / (units - 3))
}

function inPairs(blocks: Deviation[]): Deviation[] {
  const pairs: Deviation[] = []
  for (let i = 0; i < blocks.length; i += 2) {
    const first = blocks[i]!
    const second = blocks[i + 1]
    pairs.push(
      second === undefined
        ? first
        : { deviation: first.deviation + second.deviation, weight: first.weight + second.weight },
    )
  }
  return pairs
}
