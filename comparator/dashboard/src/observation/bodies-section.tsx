import type { KeptBody, ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { type Leg, legs } from '../../../../vocabulary/leg.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { BodyView } from './body-view.tsx'
import { withheldWords } from './withheld-words.ts'

/** Both stored responses. */
export function BodiesSection({ observation }: { observation: ObservationDetail }) {
  const { bodies } = observation
  if (bodies === null) return null
  return (
    <section class="section" aria-labelledby="bodies">
      <h2 id="bodies">Responses</h2>
      <div class="columns">
        {legs.map((leg) => (
          <div key={leg} class="side-body">
            <h3>
              <span class={`leg leg-${leg}`}>{leg}</span>
            </h3>
            <Side leg={leg} outcome={observation[leg]} body={bodies[leg]} why={whyWithout(observation, leg)} />
          </div>
        ))}
      </div>
    </section>
  )
}

function whyWithout({ withheld, keeping }: ObservationDetail, leg: Leg) {
  return withheld[leg] ? `The body was not kept: ${withheldWords(withheld[leg], keeping)}.` : 'No body kept.'
}

interface SideProps {
  leg: Leg
  outcome: ObservationDetail['primary']
  body: KeptBody | null
  /** Why there is no body. */
  why: string
}

function Side({ leg, outcome, body, why }: SideProps) {
  return (
    <>
      <p class="muted">
        {outcome.status !== null && `status ${outcome.status}`}
        {body?.contentType && (
          <>
            , <VisibleText text={body.contentType} inline />
          </>
        )}
      </p>
      {body === null ? (
        <p class="no-data">{why}</p>
      ) : (
        <BodyView body={body.body} encoding={body.bodyEncoding} label={`Body of the ${leg}`} />
      )}
    </>
  )
}
