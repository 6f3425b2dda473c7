import type { AnswerView } from '../../../../vocabulary/api/answer.ts'
import type { GivenLabels } from '../../../../vocabulary/api/given-labels.ts'
import type { ObservationView } from '../../../../vocabulary/api/observation-view.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { formatPlain, formatShare, formatShortOfOne } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'
import { givenApart } from './given-apart.ts'

type Apart = Pick<ObservationView, 'comparison' | 'reason' | 'disagreement' | 'primary' | 'candidate' | 'given'>

/** How far apart two answers are, in a few words for their kind: a signed number, another label, a similarity. */
export function apartWords(
  kind: OutputKind,
  { comparison, reason, disagreement, primary, candidate, given }: Apart,
  units: string | null = null,
): string {
  const unit = units === null ? '' : ` ${units}`
  if (comparison !== 'compared' || disagreement === null) return missingWords({ comparison, reason })
  switch (kind) {
    case 'regression':
      return `${difference(primary.answer, candidate.answer) ?? `mean absolute ${formatPlain(disagreement)}`}${unit}`
    case 'classification':
      return given === undefined ? classesApart(disagreement, primary.answer) : givenWords(disagreement, given)
    case 'embedding':
      return `cosine ${formatShortOfOne(disagreement)}`
    case 'detection':
      return `match quality ${formatShortOfOne(disagreement)}`
    case 'text':
      return disagreement === 0 ? 'same' : `${formatShare(1 - disagreement)} alike`
    case 'json':
      return disagreement === 0 ? 'same' : `${formatShare(disagreement)} of fields differ`
  }
}

/** The disagreement counts the rows with different labels plus, per row, m/(1+m) for the scores' mean difference m. */
function classesApart(disagreement: number, answer: AnswerView | null): string {
  if (disagreement === 0) return 'same'
  const { rows } = { rows: undefined, ...answer }
  const apart = disagreement * (rows ?? 1)
  const differing = Math.floor(rows === undefined ? apart : apart + 1e-11)
  if (differing === 0) return `same ${rows === undefined ? 'label' : 'labels'}, ${scoresApart(apart)}`
  return rows === undefined ? 'different label' : `different label in ${differing} of ${rows} rows`
}

/** For several labels per answer; if they are the same, the disagreement is m/(1+m) alone. */
function givenWords(disagreement: number, given: GivenLabels | null): string {
  if (disagreement === 0) return 'same'
  if (given === null) return `disagreement ${formatPlain(Number(disagreement.toPrecision(3)))}`
  return givenApart(given) || `same labels, ${scoresApart(disagreement)}`
}

/** Inverts m/(1+m) to m. */
const scoresApart = (share: number) => `scores ${formatPlain(Number((share / (1 - share)).toPrecision(3)))} apart`

/** The same as a title, which must be clear without a column heading. */
export function apartTitle(kind: OutputKind, apart: Apart, units: string | null): string {
  if (apart.comparison !== 'compared') return missingTitle(apart)
  const words = apartWords(kind, apart, units)
  const noun: Partial<Record<OutputKind, string>> = {
    regression: 'Difference, candidate − primary:',
    embedding: 'Similarity of both vectors:',
    detection: 'Boxes of both sides:',
    text: 'Texts:',
    json: 'Documents:',
  }
  return noun[kind] ? `${noun[kind]} ${words}` : words
}

type Missing = Pick<ObservationView, 'comparison' | 'reason'>

/** Why there is nothing to compare, as a title. */
export function missingTitle(missing: Missing): string {
  return `${missing.comparison === 'failed' ? 'The candidate failed' : 'Not compared'}: ${missingWords(missing)}`
}

function missingWords({ comparison, reason }: Missing): string {
  return reasonWords(reason ?? (comparison === 'failed' ? 'no usable answer' : 'not compared'))
}

/** Candidate − primary, for two single numbers. */
function difference(primary: AnswerView | null, candidate: AnswerView | null): string | null {
  if (!primary || !candidate || !('value' in primary) || !('value' in candidate)) return null
  const [p, c] = [primary.value, candidate.value]
  if (typeof p !== 'number' || typeof c !== 'number') return null
  return p === c ? '0' : `${c > p ? '+' : ''}${formatPlain(c - p)}`
}

/** Whether the answer equals the truth; `null` if equality is not the criterion. */
export function isRight(truth: ObservationView['truth'], answer: AnswerView | null): boolean | null {
  if (truth === null || answer === null || !('label' in truth) || 'value' in answer) return null
  return typeof truth.label === 'string' ? answer.label === truth.label : null
}
