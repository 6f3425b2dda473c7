import { Fragment } from 'preact'
import type { KeepingView, ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { withheldWords } from './withheld-words.ts'

/** What was not stored, and because of which setting. */
export function KeptNote({ observation }: { observation: ObservationDetail }) {
  const { keeping, request, requestBytes } = observation
  if (request === null) return <p class="kept-note">{withoutWords(keeping)}</p>
  const isBodyMissing = request.body === undefined && requestBytes > 0
  return (
    <ul class="kept-note">
      <li>
        Headers kept by <code>store.headers</code>:{' '}
        {keeping.headers.length === 0 ? 'none' : <Codes items={keeping.headers} />}. Credentials and cookies never reach
        the comparator.
      </li>
      {keeping.redact.length > 0 && (
        <li>
          Redacted by <code>store.redact</code>, in the request, its query and both answers:{' '}
          <Codes items={keeping.redact} />. The original values were never stored.
        </li>
      )}
      {isBodyMissing && (
        <li>The request’s body was not kept: {withheldWords(observation.withheld.request, keeping)}.</li>
      )}
    </ul>
  )
}

function Codes({ items }: { items: string[] }) {
  return (
    <>
      {items.map((item, i) => (
        <Fragment key={item}>
          {i > 0 && ', '}
          <code>{item}</code>
        </Fragment>
      ))}
    </>
  )
}

function withoutWords({ bodies, without }: KeepingView) {
  if (without === 'expired') {
    return (
      <>
        The request and the bodies were deleted: they are older than <code>retention.bodies</code>.
      </>
    )
  }
  if (bodies === 'none') {
    return (
      <>
        The request and the bodies were not kept: <code>store.bodies</code> is <code>none</code>.
      </>
    )
  }
  if (without === 'overBudget') {
    return (
      <>
        The request and the bodies were not kept: the validation had reached <code>store.bytesMax</code>, or{' '}
        <code>store</code> was set differently when this arrived.
      </>
    )
  }
  return (
    <>
      The request and the bodies were not kept: <code>store.bodies</code> is <code>worst</code>, which keeps the pairs
      that differ most (among equals, such as failures, the earliest) and a sample of each day, over all traffic and in
      each slice. This pair is neither.
    </>
  )
}
