import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { useSaid } from '../parts/use-said.ts'
import { curlOf, headersLeftOut } from './curl.ts'

/** The stored request as a command; `$UPSTREAM` is the server to ask. */
export function CopyAsCurl({ request }: { request: NonNullable<ObservationDetail['request']> }) {
  const [said, say] = useSaid()
  const leftOut = headersLeftOut(request)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(curlOf(request))
      say('Copied. Set UPSTREAM to the address of the primary or the candidate.')
    } catch {
      say('The browser did not allow copying.')
    }
  }
  return (
    <div class="copy-as-curl">
      <span class="muted" role="status">
        {said}
      </span>
      <button class="button button-quiet" type="button" onClick={copy}>
        Copy as curl
      </button>
      {leftOut.length > 0 && (
        <span class="muted">
          without {leftOut.length === 1 ? 'a header' : `${leftOut.length} headers`} that a terminal would act on
        </span>
      )}
    </div>
  )
}
