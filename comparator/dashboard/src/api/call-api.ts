import { csrfHeader } from '../../../../vocabulary/headers.ts'
import type { ErrorBody } from '../../../../vocabulary/problem.ts'
import { noteServerTime } from './server-clock.ts'

const requestTimeoutMs = 15_000

export interface Failure {
  /** `null`: the comparator gave no response. */
  status: number | null
  code: string
  /** Begins with a capital letter. */
  message: string
  /** Details that the comparator adds for programs, depending on the code. */
  details?: unknown
}
export type ApiResult<Data> = { kind: 'ok'; data: Data; text: string } | ({ kind: 'failed' } & Failure)

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  /** The session's CSRF token, which the comparator requires for every change. */
  csrf?: string | undefined
  signal?: AbortSignal
}

/**
 * Calls the comparator's API with the session cookie's identity. Failures are returned as values. An abort through
 * `signal` also returns a failure, which callers should ignore.
 */
export async function callApi<Data>(path: string, request: ApiRequest): Promise<ApiResult<Data>> {
  const timeout = AbortSignal.timeout(requestTimeoutMs)
  const headers: Record<string, string> = {}
  if (request.body !== undefined) headers['content-type'] = 'application/json'
  if (request.csrf !== undefined) headers[csrfHeader] = request.csrf
  try {
    const response = await fetch(path, {
      method: request.method ?? 'GET',
      headers,
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: request.signal ? AbortSignal.any([timeout, request.signal]) : timeout,
      cache: 'no-store',
      credentials: 'same-origin',
    })
    noteServerTime(response.headers.get('date'))
    const text = await response.text()
    if (!response.ok) return { kind: 'failed', status: response.status, ...errorOf(text, response.status) }
    const data = parsed(text)
    return data === undefined ? notOfTheApi : { kind: 'ok', data: data as Data, text }
  } catch (error) {
    const message = timeout.aborted
      ? `The comparator did not answer within ${requestTimeoutMs / 1000} s.`
      : 'The comparator cannot be reached.'
    return { kind: 'failed', status: null, code: error instanceof Error ? error.name : 'UNREACHABLE', message }
  }
}

/** Such as a proxy's page for signing in, which comes with status 200. */
const notOfTheApi: ApiResult<never> = {
  kind: 'failed',
  status: null,
  code: 'NOT_JSON',
  message:
    'Something other than the comparator answered, such as a proxy that wants you to sign in. Reload the page to see it.',
}

/** `undefined`: not JSON. */
function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorOf(text: string, status: number): Omit<Failure, 'status'> {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>
    if (typeof body.message === 'string') {
      return { code: String(body.code), message: capitalized(body.message), details: body.details }
    }
  } catch {
    // not the API's own error: a proxy's page, or nothing
  }
  return { code: `HTTP_${status}`, message: `The comparator answered with status ${status}.` }
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
