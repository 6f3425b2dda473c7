import { useEffect, useState } from 'preact/hooks'
import type { KeptBody, ObservationDetail } from '../../../../vocabulary/api.ts'
import type { ApiResult } from '../api/call-api.ts'
import { formatMs } from '../format/number.ts'
import { useSession } from '../session/session-context.ts'
import { observationDetail } from './observation-details.ts'
import { prettyBody } from './pretty-body.ts'

/** The request and both responses, side by side, as they were kept. */
export function ObservationBodies({ id }: { id: string }) {
  const { call } = useSession()
  const [result, setResult] = useState<ApiResult<ObservationDetail> | null>(null)
  useEffect(() => {
    let gone = false
    observationDetail(call, id).then((answer) => {
      if (!gone) setResult(answer)
    })
    return () => {
      gone = true
    }
  }, [id, call])

  if (result === null) return <p class="loading">Loading bodies…</p>
  if (result.kind === 'failed') return <p class="form-problem">{result.message}</p>
  const { request, bodies, primary, candidate } = result.data
  return (
    <>
      <div class="columns">
        <SideBody leg="primary" outcome={primary} body={bodies?.primary ?? null} />
        <SideBody leg="candidate" outcome={candidate} body={bodies?.candidate ?? null} />
      </div>
      <h3>Request</h3>
      {request === null ? (
        <p class="no-data">Not kept.</p>
      ) : (
        <>
          <p>
            <code>
              {request.method} {request.path}
            </code>
          </p>
          {Object.entries(request.headers ?? {}).length > 0 && (
            <dl class="headers">
              {Object.entries(request.headers ?? {}).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
          {request.body !== undefined && (
            <Body text={prettyBody(request.body, request.bodyEncoding ?? 'utf8')} label="Request body" />
          )}
        </>
      )}
    </>
  )
}

interface SideBodyProps {
  leg: 'primary' | 'candidate'
  outcome: ObservationDetail['primary']
  body: KeptBody | null
}

function SideBody({ leg, outcome, body }: SideBodyProps) {
  return (
    <div>
      <h3>
        <span class={`leg leg-${leg}`}>{leg}</span>
      </h3>
      <p class="muted">
        {outcome.status !== null && `status ${outcome.status}, `}
        {formatMs(outcome.totalMs)}
        {outcome.queuedMs !== null && ` after ${formatMs(outcome.queuedMs)} in the mirror’s queue`}, version{' '}
        {outcome.version ?? 'not reported'}
      </p>
      {body === null ? (
        <p class="no-data">No body kept.</p>
      ) : (
        <Body text={prettyBody(body.body, body.bodyEncoding)} label={`Body of the ${leg}`} />
      )}
    </div>
  )
}

function Body({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section class="body-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}
