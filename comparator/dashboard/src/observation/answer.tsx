import type { AnswerView } from '../../../../vocabulary/api/answer.ts'
import type { NamedLabels } from '../../../../vocabulary/api/given-labels.ts'
import type { OutcomeView } from '../../../../vocabulary/api/observation-view.ts'
import { reasonWords } from '../format/words.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { givenNames } from './given-apart.ts'
import { vectorText } from './vector-text.ts'

interface AnswerProps {
  outcome: OutcomeView
  right: boolean | null
  /** For models that may give several labels. */
  given?: NamedLabels | undefined
}

/**
 * One side's answer in a line: its label and score, the labels it gives, its value, or a count; or why there is no
 * answer.
 */
export function Answer({ outcome, right, given }: AnswerProps) {
  if (outcome.answer === null) {
    return (
      <span class="no-answer">
        <VisibleText text={whyNone(outcome)} inline />
      </span>
    )
  }
  return (
    <>
      {given ? (
        <span class="answer-main">
          <VisibleText text={givenNames(given)} inline />
        </span>
      ) : (
        <Answered answer={outcome.answer} />
      )}
      {right !== null && (
        <span class={right ? 'truth-mark' : 'truth-mark truth-wrong'}>{right ? 'right' : 'wrong'}</span>
      )}
    </>
  )
}

function Answered({ answer }: { answer: AnswerView }) {
  if ('value' in answer) return <span class="answer-main number">{vectorText(answer.value, answer.elements)}</span>
  const scores = answer.scores ?? {}
  const [top] = Object.entries(scores).toSorted((a, b) => b[1] - a[1])
  const label = answer.label ?? top?.[0]
  const score = label === undefined ? undefined : scores[label]
  return (
    <>
      <span class="answer-main">{label === undefined ? 'no label' : <VisibleText text={label} inline />}</span>
      {score !== undefined && <span class="answer-score number">{score.toFixed(3)}</span>}
    </>
  )
}

function whyNone(outcome: OutcomeView): string {
  if (outcome.kind !== 'answered') return reasonWords(outcome.kind)
  if (outcome.status !== null && outcome.status >= 400) return `status ${outcome.status}`
  return outcome.problem ?? 'no answer to compare'
}
