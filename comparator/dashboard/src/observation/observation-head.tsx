import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { Moment } from '../parts/moment.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { dimensionWords, valueWords } from '../slices/slice-words.ts'
import { apartTitle, isRight } from './apart.ts'
import { truthText } from './truth-text.ts'

/** The result, the models and the truth. */
export function ObservationHead({ observation }: { observation: ObservationDetail }) {
  const { kind, at, correlationId, live, truth, versions, primary, candidate, slices, id } = observation
  const main = observation.pairs.find(({ output }) => output === '')?.pair
  const title = apartTitle(kind, observation, main?.kind === 'numbers' ? main.units : null)
  const rights = { primary: isRight(truth, primary.answer), candidate: isRight(truth, candidate.answer) }
  return (
    <header class="observation-head">
      <h1>
        <VisibleText text={title} inline />
      </h1>
      <dl class="facts">
        <div>
          <dt>At</dt>
          <dd>
            <Moment at={at} />
          </dd>
        </div>
        <div>
          <dt>
            <span class="leg leg-primary">Primary</span>
          </dt>
          <dd>
            <Version own={primary.version} windows={versions.primary} />
            {versions.primaryDigest && <code class="digest">{versions.primaryDigest}</code>}
          </dd>
        </div>
        <div>
          <dt>
            <span class="leg leg-candidate">Candidate</span>
          </dt>
          <dd>
            <Version own={candidate.version} windows={versions.candidate} />
            {versions.candidateDigest && <code class="digest">{versions.candidateDigest}</code>}
          </dd>
        </div>
        <div>
          <dt>Truth</dt>
          <dd>
            {truth === null ? (
              <span class="no-data">not known</span>
            ) : (
              <>
                <strong>
                  <VisibleText text={truthText(truth)} inline />
                </strong>
                {rights.primary !== null && `, primary ${rights.primary ? 'right' : 'wrong'}`}
                {rights.candidate !== null && `, candidate ${rights.candidate ? 'right' : 'wrong'}`}
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>The client got</dt>
          <dd>the {live}’s answer</dd>
        </div>
        {correlationId !== null && (
          <div>
            <dt>Correlation id</dt>
            <dd>
              <code>
                <VisibleText text={correlationId} inline />
              </code>
            </dd>
          </div>
        )}
        <div>
          <dt>Observation</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </div>
      </dl>
      <ul class="slice-tags" aria-label="Slices">
        {Object.entries(slices ?? {}).map(([dimension, value]) => (
          <li key={dimension} class="tag">
            {dimensionWords(dimension)}: <VisibleText text={valueWords(dimension, value)} inline />
          </li>
        ))}
      </ul>
    </header>
  )
}

function Version({ own, windows }: { own: string | null; windows: string | null }) {
  const version = own ?? windows
  if (version === null) return <span class="no-data">version not reported</span>
  return (
    <>
      version <VisibleText text={version} inline />
    </>
  )
}
