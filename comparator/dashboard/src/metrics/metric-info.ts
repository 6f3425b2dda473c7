import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import type { Leg } from '../../../../vocabulary/leg.ts'
import { splitMetric } from '../../../../vocabulary/metric-path.ts'

/**
 * `ms`: a latency; `span`: a length of time, in ms; `share` and `count`: of exchanges, known exactly; `percent`: an
 * estimated share, or a difference of two; `none`: the metric's own scale.
 */
export type Unit = 'ms' | 'span' | 'share' | 'count' | 'percent' | 'none'

export interface MetricInfo {
  /** In plain words. */
  label: string
  unit: Unit
  /** The range of possible values; bars and bands are clipped to it. */
  domain: [number, number]
}

/** Replaces a value outside the domain by the nearest one inside. */
export function clipTo<Value extends number | null>([low, high]: MetricInfo['domain'], value: Value): Value | number {
  return value === null ? value : Math.min(high, Math.max(low, value))
}

const heads: Record<string, { label: string; domain: [number, number] }> = {
  agreement: { label: 'Agreement on the top label', domain: [0, 1] },
  topKOverlap: { label: 'Top-k overlap', domain: [0, 1] },
  labelF1: { label: 'F1 of labels', domain: [0, 1] },
  labelsEqual: { label: 'Label sets equal', domain: [0, 1] },
  scoreMae: { label: 'Mean score difference', domain: [0, 1] },
  jsDivergence: { label: 'Jensen–Shannon divergence', domain: [0, 1] },
  kappa: { label: 'Cohen’s κ', domain: [-1, 1] },
  mae: { label: 'Mean absolute difference', domain: [0, Infinity] },
  rmse: { label: 'Root mean square difference', domain: [0, Infinity] },
  bias: { label: 'Mean difference, candidate − primary', domain: [-Infinity, Infinity] },
  maxAbsError: { label: 'Largest absolute difference', domain: [0, Infinity] },
  absError: { label: 'Absolute difference', domain: [0, Infinity] },
  pearson: { label: 'Pearson correlation', domain: [-1, 1] },
  ccc: { label: 'Concordance (Lin)', domain: [-1, 1] },
  cosine: { label: 'Cosine similarity', domain: [-1, 1] },
  cosineDistance: { label: 'Cosine distance', domain: [0, 2] },
  f1: { label: 'F1 of boxes', domain: [0, 1] },
  precision: { label: 'Precision of boxes', domain: [0, 1] },
  recall: { label: 'Recall of boxes', domain: [0, 1] },
  meanIou: { label: 'Mean IoU of matched boxes', domain: [0, 1] },
  countDelta: { label: 'Boxes, candidate − primary', domain: [-Infinity, Infinity] },
  countError: { label: 'Difference in the number of boxes', domain: [0, Infinity] },
  exactMatch: { label: 'Texts equal', domain: [0, 1] },
  normalisedMatch: { label: 'Texts equal, ignoring case and spaces', domain: [0, 1] },
  editSimilarity: { label: 'Edit similarity', domain: [0, 1] },
  tokenF1: { label: 'F1 of words', domain: [0, 1] },
  documentsEqual: { label: 'Documents equal', domain: [0, 1] },
  fieldsEqual: { label: 'Fields equal', domain: [0, 1] },
  missingFields: { label: 'Missing fields', domain: [0, Infinity] },
  extraFields: { label: 'Extra fields', domain: [0, Infinity] },
  typeChanges: { label: 'Fields with a different type', domain: [0, Infinity] },
  valueChanges: { label: 'Fields with a different value', domain: [0, Infinity] },
  accuracy: { label: 'Accuracy', domain: [0, 1] },
  errorRate: { label: 'Error rate', domain: [0, 1] },
  coverage: { label: 'Coverage', domain: [0, 1] },
  labelCoverage: { label: 'Label coverage', domain: [0, 1] },
  samples: { label: 'Samples', domain: [0, Infinity] },
  duration: { label: 'Time spanned', domain: [0, Infinity] },
  everyHourOfWeek: { label: 'Hours of the week seen', domain: [0, 168] },
  age: { label: 'Age of the newest exchange', domain: [0, Infinity] },
  latency: { label: 'Latency', domain: [0, Infinity] },
  outputDrift: { label: 'Output drift', domain: [0, Infinity] },
}

const units: Record<string, Unit> = {
  samples: 'count',
  duration: 'span',
  coverage: 'share',
  labelCoverage: 'share',
  everyHourOfWeek: 'count',
  age: 'span',
  errorRate: 'percent',
}

const qualifiers: Record<string, string> = {
  primary: ' of the primary',
  candidate: ' of the candidate',
  delta: ', candidate − primary',
  drift: ', candidate − primary',
  ratio: ', candidate ÷ primary',
  psi: ' (PSI)',
  ks: ' (Kolmogorov–Smirnov)',
  js: ' (Jensen–Shannon)',
  wasserstein: ' (Wasserstein)',
}

/** Drift of one side alone is measured over time. */
const sinceFirstDay: Record<string, string> = {
  primary: ' of the primary since its first day',
  candidate: ' of the candidate since its first day',
}

/** The side that a one-sided metric belongs to. */
export function legOf(name: string): Leg | null {
  return (/\.(primary|candidate)(?=\.|$)/.exec(splitMetric(name).metric)?.[1] as Leg | undefined) ?? null
}

/** Names that mean more than their parts do. */
const wholes: Record<string, string> = {
  'latency.slower': 'Share slower than the primary',
  'accuracy.won': 'Disagreements won by the candidate',
  'mae.primary': 'Error of the primary against the truth',
  'mae.candidate': 'Error of the candidate against the truth',
  'mae.drift': 'Error against the truth, candidate − primary',
}

/** For a check: if it is relative, its numbers are ratios or differences of the metric. */
export function checkInfo({ metric, relative }: Pick<CheckResult, 'metric' | 'relative'>): MetricInfo {
  const info = metricInfo(metric)
  if (!relative) return info
  const to = relative.to === 'primary' ? 'the primary’s' : 'the noise floor’s'
  const [low, high] = info.domain
  return relative.by === 'ratio'
    ? { label: `${info.label} ÷ ${to}`, unit: 'none', domain: low >= 0 ? [0, Infinity] : [-Infinity, Infinity] }
    : { label: `${info.label} − ${to}`, unit: info.unit, domain: [low - high, high - low] }
}

/** The meaning of a metric such as `latency.candidate.p99` or `outputs.price.mae` for a reader. */
export function metricInfo(name: string): MetricInfo {
  const { output, metric } = splitMetric(name)
  if (output !== '') {
    const info = metricInfo(metric)
    return { ...info, label: `${info.label} (${output})` }
  }
  const [head = name, ...rest] = name.split('.')
  const known = heads[head]
  return { label: wholes[name] ?? labelOf(name, head, rest), unit: unitOf(head, rest), domain: domainOf(rest, known) }
}

function labelOf(name: string, head: string, rest: string[]): string {
  const known = heads[head]
  if (known === undefined) return name
  const statistic = rest.find((word) => /^(p\d+|mean)$/.test(word))
  const words = rest
    .filter((word) => word !== statistic && word !== 'queue')
    .map((word) => (head === 'outputDrift' ? sinceFirstDay[word] : undefined) ?? qualifiers[word] ?? `, ${word}`)
  if (head === 'latency') {
    const what = rest[0] === 'queue' ? 'queue time' : 'latency'
    return `${statistic === 'mean' ? 'Mean' : (statistic ?? 'Latency')} ${what}${words.join('')}`
  }
  return `${known.label}${statistic === undefined ? '' : `, ${statistic}`}${words.join('')}`
}

function unitOf(head: string, rest: string[]): Unit {
  if (head === 'latency') return rest.includes('ratio') || rest.includes('slower') ? 'none' : 'ms'
  return units[head] ?? 'none'
}

function domainOf(rest: string[], known: { domain: [number, number] } | undefined): [number, number] {
  const [low, high] = known?.domain ?? [-Infinity, Infinity]
  if (rest.includes('delta') || rest.includes('drift')) return [-high, high]
  return rest.some((word) => ['slower', 'won', 'ks', 'js'].includes(word)) ? [0, 1] : [low, high]
}
