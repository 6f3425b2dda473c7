import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import type { ApiResult } from '../api/call-api.ts'
import type { Session } from '../api/session-context.ts'

/** Limit on the total text of the API's responses kept here; one observation may hold three bodies of 1 MiB. */
const charsMax = 24_000_000

type Detail = ApiResult<ObservationDetail>

const known = new Map<string, { asked: Promise<Detail>; chars: number }>()

/**
 * One observation with its bodies, requested only once. Beyond the limit the oldest are dropped; failures are not kept.
 */
export function observationDetail(call: Session['call'], id: string): Promise<Detail> {
  const before = known.get(id)
  if (before) return before.asked
  const asked = call<ObservationDetail>(`/v1/observations/${encodeURIComponent(id)}`).then((result) => {
    if (result.kind === 'failed') known.delete(id)
    else {
      const entry = known.get(id)
      if (entry) entry.chars = result.text.length
      forgetOldest()
    }
    return result
  })
  known.set(id, { asked, chars: 0 })
  return asked
}

function forgetOldest(): void {
  let chars = [...known.values()].reduce((sum, entry) => sum + entry.chars, 0)
  for (const [id, entry] of known) {
    if (chars <= charsMax || known.size === 1) return
    known.delete(id)
    chars -= entry.chars
  }
}
