import { useEffect, useState } from 'preact/hooks'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { curlOf, headersLeftOut } from './curl.ts'

const saidForMs = 4000

/** The stored request as a command; `$UPSTREAM` is the server to ask. */
export function CopyAsCurl({ request }: { request: NonNullable<ObservationDetail['request']> }) {
  const [said, setSaid] = useState('')
  const leftOut = headersLeftOut(request)
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), saidForMs)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(curlOf(request))
      setSaid('Copied. Set UPSTREAM to the address of the primary or the candidate.')
    } catch {
      setSaid('The browser did not allow copying.')
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
