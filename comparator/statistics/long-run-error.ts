/** The deviation sum − θ·n of one unit of time (a bucket, or a group of a jackknife), and its weight n. */
export interface Deviation {
  deviation: number
  weight: number
}

/** Neighbours are merged in pairs for as long as this many blocks remain, enough to estimate their spread. */
const blocksMin = 8
/** With less independent evidence than this many units, the spread itself is unknown. */
const unitsMin = 4

/**
 * Standard error of Σsum/Σn over units in order of time, valid under serial correlation: the largest of the errors over
 * blocks of 1, 2, 4, … units (batch means: Schmeiser 1982; Flegal and Jones 2010). Each is
 * - leverage-corrected, every deviation by 1/(1 − its share of the weight) (CR3: Bell and McCaffrey 2002), so that one
 *   heavy hour does not hide its own deviation by pulling the mean;
 * - inflated by √((1+r)/(1−r)), where r is the blocks' lag-1 correlation less its bias of −(1+3r)/t (Marriott and Pope
 *   1954), as for a first-order autoregression (Thiébaux and Zwiers 1984): blocks that are still correlated count less;
 * - widened by Student's standard deviation √((u−1)/(u−3)), where u is the effective number of independent units:
 *   Kish's (Σn)²/Σn² divided by (1+r)/(1−r).
 * `null` where fewer than four effective units are left, or a number is not finite.
 */
export function longRunError(units: Deviation[]): number | null {
  const finest = errorOver(units, 0)
  if (finest.worthAtMost < unitsMin) return null
  let widest = widened(finest)
  for (let blocks = inPairs(units); blocks.length >= blocksMin; blocks = inPairs(blocks)) {
    // with few blocks, only the correlation beyond chance (one standard error, 1/√t) counts
    widest = Math.max(widest, widened(errorOver(blocks, 1 / Math.sqrt(blocks.length))))
  }
  return Number.isFinite(widest) ? widest : null
}

/** Lag-1 correlation of the units, less its bias of −(1+3r)/t. `null` for fewer than sixteen units. */
export function neighbourCorrelation(units: Deviation[]): number | null {
  return units.length < 2 * blocksMin ? null : errorOver(units, 0).correlation
}

interface BlockError {
  error: number
  /** Lag-1 correlation of the blocks. */
  correlation: number
  /** Effective number of independent units; `worthAtMost` uses the correlation before it is corrected for bias. */
  worth: number
  worthAtMost: number
}

/** Not finite where one block has all the weight. */
function errorOver(blocks: Deviation[], chance: number): BlockError {
  let weight = 0
  let weightSq = 0
  for (const block of blocks) {
    weight += block.weight
    weightSq += block.weight ** 2
  }
  let squares = 0
  let products = 0
  let previous = 0
  for (const block of blocks) {
    const deviation = block.deviation / (1 - block.weight / weight)
    squares += deviation ** 2
    products += previous * deviation
    previous = deviation
  }
  const count = blocks.length
  const shown = squares > 0 ? products / squares : 0
  const correlation = squares > 0 ? shown + (1 + 3 * shown) / count : 0
  const inflation = inflationAt(correlation - chance)
  // for equal weights, the leverage correction already contains the factor t/(t−1) twice
  const error = Math.sqrt(((count - 1) / count) * squares * inflation) / weight
  const kish = weight ** 2 / weightSq
  return { error, correlation, worth: kish / inflation, worthAtMost: kish / inflationAt(shown) }
}

function inflationAt(correlation: number): number {
  const r = Math.min(correlationMax, Math.max(0, correlation))
  return (1 + r) / (1 - r)
}

/** A cap: a random walk, with a correlation of 1, has no mean to bound. */
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
