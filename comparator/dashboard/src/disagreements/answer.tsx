import type { AnswerView, OutcomeView } from '../../../../vocabulary/api.ts'
import type { Leg } from '../../../../vocabulary/observation.ts'
import { reasonWords } from '../format/words.ts'
import { vectorText } from './vector-text.ts'

const scoresMax = 3

/** One side's answer: the label with its top scores, or the value, or why there is none. */
export function Answer({ leg, outcome }: { leg: Leg; outcome: OutcomeView }) {
  return (
    <div class={`answer answer-${leg}`}>
      <span class={`leg leg-${leg}`}>{leg}</span>
      {outcome.answer ? <Answered answer={outcome.answer} /> : <NotAnswered outcome={outcome} />}
    </div>
  )
}

function Answered({ answer }: { answer: AnswerView }) {
  if ('value' in answer) return <span class="answer-main number">{vectorText(answer.value)}</span>
  const top = Object.entries(answer.scores ?? {})
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, scoresMax)
  return (
    <>
      <span class="answer-main">{answer.label ?? top[0]?.[0] ?? 'no label'}</span>
      {top.length > 0 && (
        <ul class="scores">
          {top.map(([label, score]) => (
            <li key={label}>
              <span class="score-label">{label}</span>
              <span class="score-bar">
                <span style={{ width: `${Math.min(1, Math.max(0, score)) * 100}%` }} />
              </span>
              <span class="number">{score.toFixed(3)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function NotAnswered({ outcome }: { outcome: OutcomeView }) {
  const why =
    outcome.kind !== 'answered'
      ? reasonWords(outcome.kind)
      : outcome.status !== null && outcome.status >= 400
        ? `status ${outcome.status}`
        : (outcome.problem ?? 'an answer that the mapping could not read')
  return <span class="answer-main no-answer">{why}</span>
}
