import type { ErrorBody } from '../../../../vocabulary/problem.ts'

const requestTimeoutMs = 15_000

export interface Failure {
  /** `null`: no response at all. */
  status: number | null
  code: string
  message: string
}
export type ApiResult<Data> = { kind: 'ok'; data: Data; text: string } | ({ kind: 'failed' } & Failure)

export interface ApiRequest {
  method?: 'GET' | 'POST'
  body?: unknown
  signal?: AbortSignal
}

/** One call of the comparator's API. Failures are values; only an abort by `signal` looks like one that nobody reads. */
export async function callApi<Data>(token: string, path: string, request: ApiRequest = {}): Promise<ApiResult<Data>> {
  const timeout = AbortSignal.timeout(requestTimeoutMs)
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (request.body !== undefined) headers['content-type'] = 'application/json'
  try {
    const response = await fetch(path, {
      method: request.method ?? 'GET',
      headers,
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: request.signal ? AbortSignal.any([timeout, request.signal]) : timeout,
      cache: 'no-store',
    })
    const text = await response.text()
    if (response.ok) return { kind: 'ok', data: JSON.parse(text) as Data, text }
    return { kind: 'failed', status: response.status, ...errorOf(text, response.status) }
  } catch (error) {
    const message = timeout.aborted
      ? `The comparator did not answer within ${requestTimeoutMs / 1000} s.`
      : 'The comparator cannot be reached.'
    return { kind: 'failed', status: null, code: error instanceof Error ? error.name : 'UNREACHABLE', message }
  }
}

function errorOf(text: string, status: number): { code: string; message: string } {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>
    if (typeof body.message === 'string') return { code: String(body.code), message: body.message }
  } catch {
    // Not the API's own error: a proxy's page, or nothing.
  }
  return { code: `HTTP_${status}`, message: `The comparator answered with status ${status}.` }
}
