import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'

export const requestIdHeader = 'x-request-id'

/** Requests a response larger than all buffers between primary and client. */
export const hugeAnswerQuery = '?huge'
const hugeAnswer = Buffer.alloc(20_000_000, '1')

export const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The primary's response to these bytes, which determine it: 100 bytes to 20 KB of JSON. */
export function answerTo(body: Buffer): Buffer {
  const digest = digestOf(body)
  const repeats = 1 + (Number.parseInt(digest.slice(0, 2), 16) % 16) ** 2
  return Buffer.from(JSON.stringify({ predictions: [0.2, 0.8], digest, padding: digest.repeat(repeats) }))
}

/**
 * Records the digests of the bodies received under each request id, and always answers the same bytes in the same way.
 */
export function recordingPrimary(): { received: Map<string, string[]>; answer: RequestListener } {
  const received = new Map<string, string[]>()
  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const id = request.headers[requestIdHeader] as string
      const digests = received.get(id)
      if (digests) digests.push(digestOf(body))
      else received.set(id, [digestOf(body)])
      const answered = request.url!.endsWith(hugeAnswerQuery) ? hugeAnswer : answerTo(body)
      response.writeHead(200, [
        ...['Content-Type', 'application/json', 'Content-Length', String(answered.length)],
        ...['X-Model-Version', '7', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
        ...['Date', 'Sat, 21 Nov 2026 08:00:00 GMT'],
      ])
      response.end(answered)
    })
  }
  return { received, answer }
}
