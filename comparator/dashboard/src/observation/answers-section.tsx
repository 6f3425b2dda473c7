import { useMemo } from 'preact/hooks'
import type { AnswerPair } from '../../../../vocabulary/api/answer-pair.ts'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { legs } from '../../../../vocabulary/leg.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { Answer } from './answer.tsx'
import { isRight, missingTitle } from './apart.ts'
import { BoxesPairView } from './boxes-pair.tsx'
import { FieldsPairView } from './fields-pair.tsx'
import { findPictures } from './find-pictures.ts'
import { InputPictures } from './input-pictures.tsx'
import { NumbersPairView } from './numbers-pair.tsx'
import { RowsPairView } from './rows-pair.tsx'
import { ScoresPairView } from './scores-pair.tsx'
import { TextPairView } from './text-pair.tsx'

/** Both answers as the comparison read them, the main output first. */
export function AnswersSection({ observation }: { observation: ObservationDetail }) {
  const { pairs, request } = observation
  // boxes are drawn on the picture itself
  const isDrawn = pairs.some(({ pair }) => pair.kind === 'boxes')
  const pictures = useMemo(() => (request && !isDrawn ? findPictures(request) : []), [request, isDrawn])
  return (
    <section class="section" aria-labelledby="answers">
      <h2 id="answers">Answers</h2>
      <div class={pictures.length > 0 ? 'answers-beside' : undefined}>
        {pictures.length > 0 && <InputPictures pictures={pictures} />}
        <div class="pairs">
          {!pairs.some(({ output }) => output === '') && <InBrief observation={observation} />}
          {pairs.map(({ output, pair }) => (
            <div key={output} class="pair">
              {(output !== '' || pairs.length > 1) && <h3>{output === '' ? 'Main output' : output}</h3>}
              <Pair pair={pair} observation={observation} truth={output === '' ? observation.truth : null} />
            </div>
          ))}
          <UnreadOutputs observation={observation} />
        </div>
      </div>
    </section>
  )
}

/** Other outputs that could not be compared, and why. */
function UnreadOutputs({ observation: { outputs = {} } }: { observation: ObservationDetail }) {
  return Object.entries(outputs)
    .filter(([, { comparison }]) => comparison !== 'compared')
    .map(([name, { comparison, reason, problem }]) => (
      <div key={name} class="pair">
        <h3>{name}</h3>
        <p>{missingTitle({ comparison, reason })}</p>
        {problem !== undefined && (
          <p class="muted">
            <VisibleText text={problem} />
          </p>
        )}
      </div>
    ))
}

interface PairProps {
  pair: AnswerPair
  observation: ObservationDetail
  /** Labels belong to the main output. */
  truth: ObservationDetail['truth']
}

function Pair({ pair, observation, truth }: PairProps) {
  switch (pair.kind) {
    case 'numbers':
      return <NumbersPairView pair={pair} truth={truth} />
    case 'scores':
      return <ScoresPairView pair={pair} truth={truth} />
    case 'rows':
      return <RowsPairView pair={pair} truth={truth} />
    case 'boxes':
      return <BoxesPairView pair={pair} request={observation.request} />
    case 'text':
      return <TextPairView pair={pair} />
    case 'fields':
      return <FieldsPairView pair={pair} />
    case 'unread':
      return (
        <>
          <InBrief observation={observation} />
          <p class="muted">
            They were compared on arrival, but cannot be read again as they were kept: <VisibleText text={pair.why} />.
          </p>
        </>
      )
  }
}

/** What is known of the answers without their bodies, and why an answer is missing. */
function InBrief({ observation }: { observation: ObservationDetail }) {
  const { truth } = observation
  return (
    <div class="columns brief-answers">
      {legs.map((leg) => {
        const outcome = observation[leg]
        return (
          <div key={leg} class="brief-answer">
            <p>
              <span class={`leg leg-${leg}`}>{leg}</span>
            </p>
            <p>
              <Answer outcome={outcome} right={isRight(truth, outcome.answer)} />
            </p>
            {outcome.problem !== undefined && (
              <p class="muted">
                <VisibleText text={outcome.problem} />
              </p>
            )}
          </div>
        )
      })}
    </div>
  )
}
