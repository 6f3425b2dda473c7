import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn } from '../../runtime/config/semantics.ts'
import type { ClassificationMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { scoreMinOf } from '../../vocabulary/mapping/score-min.ts'
import { splitMetric } from '../../vocabulary/metric-path.ts'
import { recentDefault } from '../../vocabulary/policy.ts'
import { dayMs, type Milliseconds, parseDuration } from '../../vocabulary/units.ts'
import { type Catalogue, catalogueOfKinds, isOfEvidence, isOutputKind } from '../metrics/catalogue/catalogue.ts'
import { primaryOf } from '../metrics/catalogue/primary-counterpart.ts'
import { foldNames } from './fold-names.ts'
import { rangeProblems } from './range-problems.ts'

const limitPairs = [
  ['min', 'max'],
  ['minRatio', 'maxRatio'],
  ['minDifference', 'maxDifference'],
] as const

/** Gate problems that the schema cannot express, as they depend on the kind of output or on other validations. */
export function gateProblems(validation: Loose, path: string, others: readonly Loose[]): ConfigProblem[] {
  const kind = kindOf(validation)
  const catalogue = kind && catalogueOfKinds(kind, outputKindsOf(validation))
  const checks = objectsIn(validation.gate, `${path}.gate`)
  return [
    ...checks.flatMap(({ item, path }) => [
      ...limitProblems(item, path),
      ...(catalogue === undefined
        ? []
        : [
            ...metricProblems(item, path, kind!, catalogue),
            ...amountProblems(item, path, catalogue),
            ...givenProblems(item, path, catalogue, validation),
            ...rangeProblems(item, path, catalogue),
            ...relativeProblems(item, path, catalogue, validation, others),
          ]),
    ]),
    ...noiseFloorProblems(validation, path, others),
    ...weekProblems(validation, path),
    ...ageProblems(validation, path),
    ...recentProblems(validation, path),
  ]
}

function kindOf({ output }: Loose): OutputMapping['kind'] | undefined {
  const kind = (output as Loose | undefined)?.kind
  return isOutputKind(kind) ? kind : undefined
}

function outputKindsOf({ outputs }: Loose): [string, OutputMapping['kind']][] {
  if (outputs === null || typeof outputs !== 'object') return []
  return Object.entries(outputs).flatMap(([name, output]) => {
    const kind = kindOf({ output })
    return kind === undefined ? [] : [[name, kind]]
  })
}

function metricProblems(
  { metric }: Loose,
  path: string,
  kind: OutputMapping['kind'],
  catalogue: Catalogue,
): ConfigProblem[] {
  if (typeof metric !== 'string' || catalogue.has(metric)) return []
  const expected = `a metric of ${kind === 'embedding' ? 'an' : 'a'} ${kind}: ${foldNames(catalogue.keys())}`
  return [{ path: `${path}.metric`, value: metric, expected }]
}

/** `labelF1` and `labelsEqual` need a `scoreMin`: it decides which labels an answer gives. */
function givenProblems(
  { metric }: Loose,
  path: string,
  catalogue: Catalogue,
  { output, outputs }: Loose,
): ConfigProblem[] {
  // metricProblems reports unknown metrics
  if (typeof metric !== 'string' || !catalogue.has(metric)) return []
  const { output: name, metric: own } = splitMetric(metric)
  const mapping = name === '' ? output : (outputs as Loose)[name]
  if (!['labelF1', 'labelsEqual'].includes(own) || scoreMinOf(mapping as ClassificationMapping) !== null) return []
  const expected = `a scoreMin: in ${name === '' ? 'output' : `outputs.${name}`}, from which a label is given`
  return [{ path: `${path}.metric`, value: metric, expected }]
}

/** The amount of evidence has no maximum: more exchanges, or more labels, do no harm. */
function amountProblems({ metric, max }: Loose, path: string, catalogue: Catalogue): ConfigProblem[] {
  const known = catalogue.get(String(metric))
  if (known === undefined || !isOfEvidence(known) || max === undefined) return []
  return [{ path: `${path}.max`, value: max, expected: `min: alone, of ${metric}` }]
}

function limitProblems(check: Loose, path: string): ConfigProblem[] {
  return limitPairs.flatMap(([least, greatest]) => {
    const [min, max] = [check[least], check[greatest]]
    if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return []
    return [{ path: `${path}.${least}`, value: min, expected: `at most ${greatest}, which is ${max}` }]
  })
}

function relativeProblems(
  check: Loose,
  path: string,
  catalogue: Catalogue,
  { noiseFloor }: Loose,
  others: readonly Loose[],
): ConfigProblem[] {
  const { metric, relativeTo } = check
  if (relativeTo === undefined || typeof metric !== 'string' || !catalogue.has(metric)) return []
  const problem = (key: string, value: unknown, expected: string) => [{ path: `${path}.${key}`, value, expected }]
  if (isOfEvidence(catalogue.get(metric)!)) return problem('metric', metric, 'a metric of the model')
  const isRatio = check.minRatio !== undefined || check.maxRatio !== undefined
  if (isRatio && hasSign(metric)) {
    return problem('metric', metric, 'a metric that is never below zero, or minDifference: and maxDifference:')
  }
  if (relativeTo === 'primary' && (primaryOf(metric) === metric || !catalogue.has(primaryOf(metric)))) {
    return problem(
      'metric',
      metric,
      'a metric of the candidate that the primary has too, such as latency.candidate.p95',
    )
  }
  if (relativeTo === 'noiseFloor' && noiseFloor === undefined) {
    return problem('relativeTo', relativeTo, 'noiseFloor: in the validation, the one that measures the primary itself')
  }
  const other = relativeTo === 'noiseFloor' && others.find(({ name }) => name === noiseFloor)
  const kind = other && kindOf(other)
  // noiseFloorProblems reports that of another kind, which lacks the main output's metrics
  const isOfOutput = splitMetric(metric).output !== ''
  if (isOfOutput && kind && !catalogueOfKinds(kind, outputKindsOf(other)).has(metric)) {
    return problem('metric', metric, `a metric that the noise floor, ${noiseFloor}, has too`)
  }
  return []
}

/** Metrics with values on both sides of zero, for which a ratio means nothing. */
function hasSign(metric: string): boolean {
  return /^(bias|pearson|ccc|kappa|countDelta)$|\.(delta|drift)(\.|$)/.test(splitMetric(metric).metric)
}

function noiseFloorProblems(validation: Loose, path: string, others: readonly Loose[]): ConfigProblem[] {
  const { name, noiseFloor } = validation
  if (typeof noiseFloor !== 'string') return []
  const other = others.find((item) => item.name === noiseFloor)
  const isAnother = other !== undefined && noiseFloor !== name && kindOf(other) === kindOf(validation)
  if (isAnother) return []
  const expected = `the name of another validation, of the same kind of output (${kindOf(validation) ?? 'unknown'})`
  return [{ path: `${path}.noiseFloor`, value: noiseFloor, expected }]
}

function weekProblems({ window }: Loose, path: string): ConfigProblem[] {
  const { everyHourOfWeek, duration } = (window ?? {}) as Loose
  if (everyHourOfWeek !== true || !(msIn(duration) < 7 * dayMs)) return []
  return [{ path: `${path}.window.duration`, value: duration, expected: 'at least 7d, for everyHourOfWeek' }]
}

/**
 * Without reverse shadowing, a step with all traffic live compares nothing. If `ageMax` were no longer than that step,
 * the evidence would be too old at the step's end and the rollout would hold for ever.
 */
function ageProblems({ window, rollout }: Loose, path: string): ConfigProblem[] {
  const { ageMax } = (window ?? {}) as Loose
  const { stepDuration, reverseShadow } = (rollout ?? {}) as Loose
  if (reverseShadow !== false || !(msIn(ageMax) <= msIn(stepDuration))) return []
  const expected = `longer than rollout.stepDuration (${stepDuration}), where rollout.reverseShadow is false`
  return [{ path: `${path}.window.ageMax`, value: ageMax, expected }]
}

/** `recent` is judged apart only up to half of the window. The default is accepted whatever the window's length. */
function recentProblems({ window }: Loose, path: string): ConfigProblem[] {
  const { recent, duration } = (window ?? {}) as Loose
  if (msIn(recent) === recentDefault || !(2 * msIn(recent) > msIn(duration))) return []
  const expected = `at most half of window.duration (${duration}), or 0s for none`
  return [{ path: `${path}.window.recent`, value: recent, expected }]
}

/** NaN for what is no duration, so that every comparison is false; the schema reports it. */
function msIn(value: unknown): Milliseconds {
  try {
    return parseDuration(String(value))
  } catch {
    return Number.NaN
  }
}
