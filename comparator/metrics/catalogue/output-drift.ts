import type { Leg } from '../../../vocabulary/leg.ts'
import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import { roundingMax } from '../../statistics/correlation.ts'
import { decileShares } from '../../statistics/decile-shares.ts'
import type { Distribution } from '../../statistics/distribution.ts'
import { distributionDistances } from '../../statistics/distribution-distances.ts'
import { heldOutDistances } from '../../statistics/held-out-distances.ts'
import { jensenShannon, jensenShannonOfFiner } from '../../statistics/jensen-shannon.ts'
import { zeroBelow } from '../../statistics/log-histogram.ts'
import { populationStability, stabilityOfFiner, stabilityWithUnseen } from '../../statistics/population-stability.ts'
import type { Sums } from '../../statistics/sums.ts'
import { jensenShannonWithUnseen, ksWithUnseen, meanWithUnseen, unseenShare } from '../../statistics/unseen-share.ts'
import { confusionIn } from '../evidence/confusion-in.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { exchangesBehind } from '../evidence/exchanges-behind.ts'
import { outputMeasures, outputValues, squareMeasures } from '../evidence/output-values.ts'
import { classShares, classSharesOverTime, type Shares } from '../evidence/shares-of-answers.ts'
import { rowsMeasure } from '../measures.ts'
import type { Functional } from './functional.ts'
import { outputSize, unseenSizeOf, valueSize } from './unseen-size.ts'

/** At n = 100, PSI > 0.1 would be a false alarm 85 % of the time. */
const driftSamplesMin = 200

/** Two samples of answers to compare, as classes or as values, and where to find them in the evidence. */
interface Compared {
  prefix: string
  sinceFirstDay?: true
  sharesOf(evidence: Evidence): Shares | null
  distributionsOf(evidence: Evidence): [a: Distribution, b: Distribution] | null
  samplesOf: Record<'shares' | 'distributions', Functional['samples']>
}

/**
 * The distances between both sides' outputs, and between each side's first day and its answers since. For
 * classifications `psi` and `js` compare the predicted classes.
 */
export function outputDriftOf(kind: OutputKind): Functional[] {
  const isOfClasses = kind === 'classification'
  const sides = isOfClasses ? sidesByClass : sidesByValue(kind)
  return [sides, sinceFirstDay('primary', kind), sinceFirstDay('candidate', kind)].flatMap((compared) =>
    distancesOf(compared, isOfClasses),
  )
}

function distancesOf(compared: Compared, isOfClasses: boolean): Functional[] {
  const { prefix, sinceFirstDay, sharesOf, distributionsOf, samplesOf } = compared
  const drift = {
    sums: [rowsMeasure, ...outputSize.measures, ...valueSize.measures],
    least: 0,
    samplesMin: driftSamplesMin,
    ...(sinceFirstDay && { sinceFirstDay }),
  } as const
  const ofShares = {
    ...drift,
    from: isOfClasses ? 'cells' : 'bins',
    samples: samplesOf.shares,
  } as const
  const ofDistributions = { ...drift, from: 'bins', samples: samplesOf.distributions } as const
  const distances = (evidence: Evidence) => {
    const found = distributionsOf(evidence)
    return found && distancesBetween(...found)
  }
  const heldOut = (name: 'ks' | 'wasserstein') => (evidence: Evidence, withoutGroup: Evidence) => {
    const [whole, rest] = [distributionsOf(evidence), distributionsOf(withoutGroup)]
    return (whole && rest && heldOutBetween(...rest, whole)?.[name]) ?? null
  }
  // allows for a class that was never predicted yet; values always belong to one of the bins
  const elsewhere = isOfClasses ? [0] : []
  const psiWith = (ofHidden: (hidden: number) => number): Functional => ({
    name: `${prefix}.psi`,
    ...ofShares,
    greatest: Number.POSITIVE_INFINITY,
    estimate: (evidence) => {
      const found = sharesOf(evidence)
      return found && populationStability(found.a, found.b) + ofHidden(found.hidden ?? 0)
    },
    unseen: (evidence, _, { n, alpha }) => {
      const { a, b, hidden = 0 } = sharesOf(evidence)!
      const share = unseenShare(n, alpha)
      const { lower, upper } = stabilityWithUnseen([...a, ...elsewhere], [...b, ...elsewhere], share)
      return { lower, upper: upper + ofHidden(hidden + 2 * share) }
    },
  })
  const jsWith = (ofHidden: (hidden: number) => number): Functional => ({
    name: `${prefix}.js`,
    ...ofShares,
    greatest: 1,
    estimate: (evidence) => {
      const found = sharesOf(evidence)
      const divergence = found && jensenShannon(found.a, found.b)
      return divergence === null ? null : divergence + ofHidden(found!.hidden ?? 0)
    },
    unseen: (_, estimate, { n, alpha }) => jensenShannonWithUnseen(estimate, unseenShare(n, alpha)),
  })
  const hasOthers = (evidence: Evidence) => (sharesOf(evidence)?.hidden ?? 0) > 0
  const others = (most: Functional) => isOfClasses && { most, hasOthers }
  return [
    { ...psiWith(() => 0), ...others(psiWith(stabilityOfFiner)) },
    { ...jsWith(() => 0), ...others(jsWith(jensenShannonOfFiner)) },
    {
      name: `${prefix}.ks`,
      ...ofDistributions,
      greatest: 1,
      estimate: (evidence) => distances(evidence)?.ks ?? null,
      heldOut: heldOut('ks'),
      unseen: (_, estimate, { n, alpha }) => ksWithUnseen(estimate, unseenShare(n, alpha)),
    },
    {
      name: `${prefix}.wasserstein`,
      ...ofDistributions,
      greatest: Number.POSITIVE_INFINITY,
      estimate: (evidence) => distances(evidence)?.wasserstein ?? null,
      heldOut: heldOut('wasserstein'),
      unseenOnlyWithoutSpread: true,
      unseen: ({ sums }, estimate, { n, alpha }) => {
        const size = unseenSizeOf(outputSize, sums)
        return meanWithUnseen(estimate, unseenShare(n, alpha), { lower: -size, upper: size })
      },
    },
  ]
}

// cached, since `ks` and `wasserstein` need the same pass
const distancesBetween = ofPair(distributionDistances)
const decileSharesBetween = ofPair(decileShares)
const heldOutBetween = ofPair((a, b, whole: [Distribution, Distribution]) => heldOutDistances(whole, [a, b]))

/** Caches the last value for each second sample of a pair. Further arguments must be determined by the pair. */
function ofPair<Value, More extends unknown[]>(compute: (a: Distribution, b: Distribution, ...more: More) => Value) {
  const known = new WeakMap<Distribution, { a: Distribution; value: Value }>()
  return (a: Distribution, b: Distribution, ...more: More): Value => {
    const last = known.get(b)
    if (last?.a === a) return last.value
    const value = compute(a, b, ...more)
    known.set(b, { a, value })
    return value
  }
}

/** Whether histograms count all values as zero though they are not, so that no drift could be seen. */
function areBelowResolution({ sums }: Evidence, sides: Leg[]): boolean {
  const sizes = sides.flatMap((leg) => sizeBut0(sums, leg) ?? [])
  return sizes.length > 0 && sizes.every((size) => size < zeroBelow)
}

/** The root mean square of a side's outputs; `null` for zeros, and for vectors whose means are only rounding errors. */
function sizeBut0(sums: Sums, leg: Leg): number | null {
  const found = sums.get(outputMeasures[leg])
  if (found === undefined || (found.min === 0 && found.max === 0)) return null
  const elements = sums.get(squareMeasures[leg])
  const isRounding = elements !== undefined && found.sumSq < roundingMax * elements.sum
  return isRounding ? null : Math.sqrt(found.sumSq / found.n)
}

const valuesOfSides = ({ sums, distributionOf }: Evidence, growth = 1) =>
  exchangesBehind(distributionOf(outputMeasures.primary).total, sums) * growth

function sidesByValue(kind: OutputKind): Compared {
  const distributionsOf = (evidence: Evidence): [Distribution, Distribution] | null => {
    if (areBelowResolution(evidence, ['primary', 'candidate'])) return null
    return [outputValues(kind, evidence, 'primary'), outputValues(kind, evidence, 'candidate')]
  }
  return {
    prefix: 'outputDrift',
    sharesOf: (evidence) => {
      const found = distributionsOf(evidence)
      return found && decileSharesBetween(...found)
    },
    distributionsOf,
    samplesOf: { shares: valuesOfSides, distributions: valuesOfSides },
  }
}

const classesIn = ({ sums }: Pick<Evidence, 'sums'>, growth = 1) =>
  exchangesBehind(confusionIn(sums).total, sums) * growth

const sidesByClass: Compared = {
  ...sidesByValue('classification'),
  sharesOf: ({ sums }) => classShares(sums),
  samplesOf: { shares: classesIn, distributions: valuesOfSides },
}

/** A side's first day and its answers since, in bins at that day's deciles. */
function sinceFirstDay(leg: Leg, kind: OutputKind): Compared {
  const isOfClasses = kind === 'classification'
  const distributionsOf = (evidence: Evidence): [Distribution, Distribution] | null => {
    const found = evidence.firstDay()
    if (found === null || areBelowResolution(evidence, [leg])) return null
    return [outputValues(kind, found.first, leg), outputValues(kind, found.later, leg)]
  }
  // the first day does not grow
  const valuesOf = (evidence: Evidence, growth = 1) => {
    const found = evidence.firstDay()
    if (found === null) return 0
    const valuesIn = ({ sums, distributionOf }: Evidence) =>
      exchangesBehind(distributionOf(outputMeasures[leg]).total, sums)
    return Math.min(valuesIn(found.first), valuesIn(found.later) * growth)
  }
  const classesOf = (evidence: Evidence, growth = 1) => {
    const found = evidence.firstDay()
    if (found === null) return 0
    return Math.min(classesIn(found.first), classesIn(found.later, growth))
  }
  return {
    prefix: `outputDrift.${leg}`,
    sinceFirstDay: true,
    sharesOf: (evidence) => {
      if (!isOfClasses) {
        const found = distributionsOf(evidence)
        return found && decileSharesBetween(...found)
      }
      const found = evidence.firstDay()
      return found && classSharesOverTime(found.first.sums, found.later.sums, leg)
    },
    distributionsOf,
    samplesOf: { shares: isOfClasses ? classesOf : valuesOf, distributions: valuesOf },
  }
}
