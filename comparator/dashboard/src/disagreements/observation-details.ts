import type { ObservationDetail } from '../../../../vocabulary/api.ts'
import type { ApiResult } from '../api/call-api.ts'
import type { Session } from '../session/session-context.ts'

const detailsMax = 200
const known = new Map<string, Promise<ApiResult<ObservationDetail>>>()

/** One observation with its bodies, asked once; the oldest of two hundred is forgotten first, failures at once. */
export function observationDetail(call: Session['call'], id: string): Promise<ApiResult<ObservationDetail>> {
  const before = known.get(id)
  if (before) return before
  const asked = call<ObservationDetail>(`/v1/observations/${encodeURIComponent(id)}`).then((result) => {
    if (result.kind === 'failed') known.delete(id)
    return result
  })
  known.set(id, asked)
  if (known.size > detailsMax) known.delete(known.keys().next().value!)
  return asked
}
