import type { AnswerView, ObservationView } from '../../../../vocabulary/api.ts'
import type { OutputKind } from '../../../../vocabulary/output-mapping.ts'
import { formatPlain, formatShare } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'

type Apart = Pick<ObservationView, 'comparison' | 'reason' | 'disagreement' | 'primary' | 'candidate'>

/** How far apart two answers are, in a few words of their kind: a signed number, another label, a likeness. */
export function apartWords(kind: OutputKind, { comparison, reason, disagreement, primary, candidate }: Apart): string {
  if (comparison !== 'compared' || disagreement === null) {
    return reasonWords(reason ?? (comparison === 'failed' ? 'no usable answer' : 'not compared'))
  }
  switch (kind) {
    case 'regression':
      return difference(primary.answer, candidate.answer) ?? `${formatPlain(disagreement)} mean absolute`
    case 'classification':
      // 1 for another label, and beside it m/(1+m) of the scores' mean difference m
      if (disagreement >= 1) return 'another label'
      return disagreement === 0 ? 'same' : `same label, scores ${formatPlain(disagreement / (1 - disagreement))} apart`
    case 'embedding':
      return `cosine ${formatPlain(1 - disagreement)}`
    case 'detection':
      return `quality ${formatPlain(1 - disagreement)}`
    case 'text':
      return disagreement === 0 ? 'same' : `${formatShare(1 - disagreement)} alike`
    case 'json':
      return disagreement === 0 ? 'same' : `${formatShare(disagreement)} of fields differ`
  }
}

/** Candidate − primary of two single numbers. */
function difference(primary: AnswerView | null, candidate: AnswerView | null): string | null {
  if (!primary || !candidate || !('value' in primary) || !('value' in candidate)) return null
  const [p, c] = [primary.value, candidate.value]
  if (typeof p !== 'number' || typeof c !== 'number') return null
  return p === c ? '0' : `${c > p ? '+' : ''}${formatPlain(c - p)}`
}

/** Whose answer is what the truth says; `null` where that is no matter of same or not. */
export function isRight(truth: ObservationView['truth'], answer: AnswerView | null): boolean | null {
  if (truth === null || answer === null || !('label' in truth) || 'value' in answer) return null
  return answer.label === truth.label
}
