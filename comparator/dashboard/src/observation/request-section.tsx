import { useMemo } from 'preact/hooks'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { formatCount } from '../format/number.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { BodyView } from './body-view.tsx'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { findPictures } from './find-pictures.ts'
import { KeptNote } from './kept-note.tsx'

/** The client's request, as stored. */
export function RequestSection({ observation }: { observation: ObservationDetail }) {
  const { request, requestBytes } = observation
  // shown beside the answers instead
  const isPicture = useMemo(() => request !== null && findPictures(request, 1).length > 0, [request])
  const headers = Object.entries(request?.headers ?? {})
  return (
    <section class="section" aria-labelledby="request">
      <div class="section-head">
        <h2 id="request">Request</h2>
        {request && <CopyAsCurl request={request} />}
      </div>
      {request && (
        <>
          <p class="request-line">
            <code>
              <VisibleText text={request.method} inline /> <VisibleText text={request.path} inline />
            </code>{' '}
            <span class="muted">{formatCount(requestBytes)} bytes</span>
          </p>
          {headers.length > 0 && (
            <dl class="headers">
              {headers.map(([name, value]) => (
                <div key={name}>
                  <dt>
                    <VisibleText text={name} inline />
                  </dt>
                  <dd>
                    <VisibleText text={value} inline />
                  </dd>
                </div>
              ))}
            </dl>
          )}
          {request.body !== undefined &&
            (isPicture ? (
              <details>
                <summary>Body</summary>
                <BodyView body={request.body} encoding={request.bodyEncoding ?? 'utf8'} label="Request body" />
              </details>
            ) : (
              <BodyView body={request.body} encoding={request.bodyEncoding ?? 'utf8'} label="Request body" />
            ))}
        </>
      )}
      <KeptNote observation={observation} />
    </section>
  )
}
