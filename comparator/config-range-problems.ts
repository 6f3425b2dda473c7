import type { ConfigProblem } from '../runtime/config/problem.ts'
import type { Loose } from '../runtime/config/semantics.ts'
import type { Catalogue, Metric, Support } from './metrics/catalogue.ts'

const inShares = ': 1 % is 0.01'

/** Where values can lie, and how a person is told. */
const ranges: Partial<Record<Support, { lower: number; upper: number; unit?: string }>> = {
  share: { lower: 0, upper: 1, unit: inShares },
  paired: { lower: -1, upper: 1, unit: inShares },
  cosine: { lower: -1, upper: 1 },
  cosineDistance: { lower: 0, upper: 2 },
}

/**
 * Of a check whose limits no value can be beyond, or none within: percent in the place of shares, for the most part. The
 * first would pass whatever the candidate does, the second never.
 */
export function rangeProblems(check: Loose, path: string, catalogue: Catalogue): ConfigProblem[] {
  const range = rangeOf(catalogue.get(String(check.metric)))
  if (!range) return []
  const { lower, upper, unit = '' } = range
  const extent = upper - lower
  return [
    ...beyond(check, path, ['min', 'max'], [lower, upper], unit),
    ...beyond(check, path, ['minDifference', 'maxDifference'], [-extent, extent], unit),
  ]
}

function beyond(
  check: Loose,
  path: string,
  keys: readonly [least: string, greatest: string],
  [lower, upper]: readonly [number, number],
  unit: string,
): ConfigProblem[] {
  const given = keys.flatMap((key) => (typeof check[key] === 'number' ? [{ key, value: check[key] }] : []))
  const problems = (of: typeof given, expected: string) =>
    of.map(({ key, value }) => ({ path: `${path}.${key}`, value, expected: expected + unit }))
  const outside = given.filter(({ value }) => value < lower || value > upper)
  if (outside.length > 0) return problems(outside, `a number from ${lower} to ${upper}`)
  const saysNothing = given.every(({ key, value }) => value === (key === keys[0] ? lower : upper))
  return saysNothing && check.reportOnly !== true ? problems(given, 'a limit that values can be beyond') : []
}

function rangeOf(metric: Metric | undefined) {
  switch (metric?.kind) {
    case 'mean':
      return ranges[metric.support]
    case 'wins':
    case 'coverage':
      return ranges.share
    default:
      return undefined
  }
}
