import type { ObservationDetail, ObservationPage } from '../../vocabulary/api.ts'
import { ApiClient, type ServerOptions } from '../api-client.ts'
import { CliFailure, exitCodes } from '../failure.ts'
import { type StoredRequest, storedRequest } from './stored-requests.ts'

const pageSize = 200
const atOnce = 8

export interface PulledRequests {
  requests: StoredRequest[]
  /** Looked at, and without a body that could be sent again. */
  withoutBody: number
  /** What the validation's `store: { bodies }` keeps. */
  kept: 'none' | 'worst' | 'all'
}

/** The newest requests that the comparator kept, oldest first. Throws a `CliFailure` where there is none. */
export async function pullRequests(
  validation: string,
  options: ServerOptions,
  requestsMax: number,
): Promise<PulledRequests> {
  // answers for an unknown name, a bad token and a server that is away
  const { policy } = await new ApiClient(options).validation(validation)
  const requests: StoredRequest[] = []
  let withoutBody = 0
  let cursor: string | null = ''
  while (cursor !== null && requests.length < requestsMax) {
    const query: string = `order=newest&limit=${pageSize}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const path = `/v1/validations/${encodeURIComponent(validation)}/observations?${query}`
    const page = await getJson<ObservationPage>(options, path)
    const kept = page.observations.filter(({ bodiesKept }) => bodiesKept).slice(0, requestsMax - requests.length)
    withoutBody += page.observations.filter(({ bodiesKept }) => !bodiesKept).length
    for (let i = 0; i < kept.length; i += atOnce) {
      const details = await Promise.all(
        kept.slice(i, i + atOnce).map(({ id }) => getJson<ObservationDetail>(options, `/v1/observations/${id}`)),
      )
      for (const { request } of details) {
        const whole = request && toStoredRequest(request)
        if (whole) requests.push(whole)
        else withoutBody++
      }
    }
    cursor = page.nextCursor
  }
  if (requests.length === 0) {
    throw new CliFailure(
      `${validation} has no request with its body (${withoutBody} without); set store: { bodies: all } of the validation, and wait for traffic`,
      exitCodes.usage,
    )
  }
  return { requests: requests.reverse(), withoutBody, kept: policy.storeBodies }
}

function toStoredRequest(request: NonNullable<ObservationDetail['request']>): StoredRequest | undefined {
  const { method, path, headers = {}, body, bodyEncoding = 'utf8', bodyBytes } = request
  if (body === undefined && bodyBytes !== undefined && bodyBytes > 0) return undefined
  return storedRequest(method, path, headers, body === undefined ? null : Buffer.from(body, bodyEncoding))
}

async function getJson<Answer>({ server, token = process.env.UNDERSTUDY_TOKEN }: ServerOptions, path: string) {
  const response = await fetch(server.replace(/\/$/, '') + path, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new CliFailure(`${server} answered ${response.status} to ${path}`, exitCodes.usage)
  return (await response.json()) as Answer
}
