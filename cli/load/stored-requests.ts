import { createReadStream } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Bytes } from '../../vocabulary/units.ts'
import { CliFailure } from '../failure.ts'

export interface StoredRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

const storedRequestsMax = 100_000
/** Limit on all bodies together, which are held in memory. */
export const storedBytesMax: Bytes = 512 * 1024 ** 2
/** These headers belong to the original connection, or are set anew. */
const connectionHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
])

export const nameOf = ({ method, path }: StoredRequest) => `${method} ${path.split('?', 1)[0]}`

/**
 * Reads a file of JSON lines `{"method", "path", "headers", "body" | "bodyBase64"}`. `method` defaults to POST. `body`
 * is a string, or any other JSON value, which is sent as JSON. Throws a `CliFailure` that names the line.
 */
export async function readRequests(file: string): Promise<StoredRequest[]> {
  const requests: StoredRequest[] = []
  let bytes = 0
  let line = 0
  const bad = (expected: string) => new CliFailure(`${file}:${line}: ${expected}`)
  const stream = createReadStream(file, 'utf8')
  const unreadable = new Promise<never>((_resolve, reject) => {
    stream.once('error', (error: NodeJS.ErrnoException) => {
      reject(new CliFailure(`${file} cannot be read (${error.code}); expected a file of JSON lines`))
    })
  })
  const read = async () => {
    for await (const text of linesOf(stream)) {
      line++
      if (text.trim() === '') continue
      const request = parseRequest(text, bad)
      bytes += request.body?.length ?? 0
      if (requests.length === storedRequestsMax || bytes > storedBytesMax) {
        throw bad(`expected at most ${storedRequestsMax} requests of ${storedBytesMax / 1024 ** 2} MiB together`)
      }
      requests.push(request)
    }
  }
  await Promise.race([read(), unreadable])
  if (requests.length === 0) throw new CliFailure(`${file} holds no request; expected JSON lines`)
  return requests
}

/**
 * The file's lines without their ends and without a byte order mark. Node's `readline` would also break a line at U+2028,
 * which JSON texts may contain.
 */
async function* linesOf(stream: AsyncIterable<string>): AsyncGenerator<string> {
  let last = ''
  let isFirst = true
  for await (const chunk of stream) {
    const [end, ...lines] = chunk.slice(isFirst && chunk.startsWith('\uFEFF') ? 1 : 0).split('\n')
    isFirst = false
    last += end
    for (const line of lines) {
      yield last
      last = line
    }
  }
  yield last
}

function parseRequest(text: string, bad: (expected: string) => Error): StoredRequest {
  const example = '{"method": "POST", "path": "/predictions/digits", "headers": {…}, "body": …}'
  let line: Record<string, unknown>
  try {
    line = JSON.parse(text)
  } catch (error) {
    throw bad(`expected one JSON object a line, such as ${example}: ${(error as Error).message}`)
  }
  if (line === null || typeof line !== 'object' || Array.isArray(line)) {
    throw bad(`expected an object such as ${example}`)
  }
  const { method = 'POST', path, headers = {}, body, bodyBase64 } = line
  if (typeof method !== 'string' || !/^(?!connect$)[a-z]{1,20}$/i.test(method)) {
    throw bad('method: expected a name such as POST')
  }
  if (typeof path !== 'string' || !/^\/[\x21-\x7e]*$/.test(path)) {
    throw bad('path: expected a path in ASCII that begins with /, such as /predictions/digits')
  }
  const isPlain = headers !== null && typeof headers === 'object' && !Array.isArray(headers)
  if (!isPlain || Object.values(headers).some((value) => typeof value !== 'string')) {
    throw bad('headers: expected an object of strings')
  }
  const wrong = Object.entries(headers as Record<string, string>).find((header) => !isHeader(...header))
  if (wrong) throw bad(`headers: expected names and values that HTTP can carry, got ${JSON.stringify(wrong[0])}`)
  if (body !== undefined && bodyBase64 !== undefined) throw bad('expected body or bodyBase64, not both')
  if (bodyBase64 !== undefined && (typeof bodyBase64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(bodyBase64))) {
    throw bad('bodyBase64: expected base64')
  }
  const isJson = body !== undefined && typeof body !== 'string'
  return storedRequest(
    method,
    path,
    { ...(isJson && { 'content-type': 'application/json' }), ...(headers as Record<string, string>) },
    bodyBase64 !== undefined
      ? Buffer.from(bodyBase64 as string, 'base64')
      : body === undefined
        ? null
        : Buffer.from(isJson ? JSON.stringify(body) : (body as string)),
  )
}

/** Checked in advance, because an invalid header would be reported as a target that does not answer. */
export function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

export function storedRequest(
  method: string,
  path: string,
  headers: Record<string, string | string[]>,
  body: Buffer | null,
): StoredRequest {
  const kept = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return {
    method: method.toUpperCase(),
    path,
    headers: Object.fromEntries(kept.filter(([name]) => !connectionHeaders.has(name))),
    body,
  }
}
