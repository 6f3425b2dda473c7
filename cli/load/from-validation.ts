import type { ObservationDetail } from '../../vocabulary/api/observation-detail.ts'
import type { ObservationPage } from '../../vocabulary/api/observation-view.ts'
import { ApiClient, type ServerOptions } from '../api-client.ts'
import { CliFailure } from '../failure.ts'
import { type StoredRequest, storedBytesMax, storedRequest } from './stored-requests.ts'

const pageSize = 200
const atOnce = 8

interface PulledRequests {
  requests: StoredRequest[]
  /** Requests examined that have no body to send again. */
  withoutBody: number
  /** Whether there are more than memory has room for. */
  isCut: boolean
  /** The validation's `store: { bodies }` setting. */
  kept: 'none' | 'worst' | 'all'
}

/**
 * The newest requests that the comparator kept, up to both limits, oldest first. Throws a `CliFailure` if there are
 * none.
 */
export async function pullRequests(
  validation: string,
  options: ServerOptions,
  requestsMax: number,
  bytesMax = storedBytesMax,
): Promise<PulledRequests> {
  // reports an unknown name, a bad token or an unreachable server
  const api = new ApiClient(options)
  const { policy } = await api.validation(validation)
  const requests: StoredRequest[] = []
  let withoutBody = 0
  let bytes = 0
  let isCut = false
  let cursor: string | null = ''
  pages: while (cursor !== null && requests.length < requestsMax) {
    const query = { order: 'newest', limit: String(pageSize), ...(cursor && { cursor }) }
    const page: ObservationPage = await api.observations(validation, query)
    const kept = page.observations.filter(({ bodiesKept }) => bodiesKept).slice(0, requestsMax - requests.length)
    withoutBody += page.observations.filter(({ bodiesKept }) => !bodiesKept).length
    for (let i = 0; i < kept.length; i += atOnce) {
      const details = await Promise.all(kept.slice(i, i + atOnce).map(({ id }) => api.observation(id)))
      for (const { request } of details) {
        const whole = request && toStoredRequest(request)
        if (whole) {
          bytes += whole.body?.length ?? 0
          if (bytes > bytesMax) {
            isCut = true
            break pages
          }
          requests.push(whole)
        } else withoutBody++
      }
    }
    cursor = page.nextCursor
  }
  if (requests.length === 0) {
    throw new CliFailure(
      `${validation} has no request with its body (${withoutBody} without); set store: { bodies: all } of the validation, and wait for traffic`,
    )
  }
  return { requests: requests.reverse(), withoutBody, isCut, kept: policy.storeBodies }
}

function toStoredRequest(request: NonNullable<ObservationDetail['request']>): StoredRequest | undefined {
  const { method, path, headers = {}, body, bodyEncoding = 'utf8', bodyBytes } = request
  if (body === undefined && bodyBytes !== undefined && bodyBytes > 0) return undefined
  return storedRequest(method, path, headers, body === undefined ? null : Buffer.from(body, bodyEncoding))
}
