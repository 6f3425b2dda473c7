import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerTo, digestOf, requestIdHeader } from './primary.ts'

const requestsPerSecond = 300
const tickMs = 5
/** Not part of any fault: only ends a test whose request is never answered. */
const patienceMs = 30_000

export interface Load {
  url: string
  /** Prefix of this load's request ids. */
  name: string
  requests: number
}

export interface LoadResult {
  /** One per request, in order: status, all headers and the body's digest, or what went wrong. */
  views: string[]
  /** Everything but a 200 with exactly the primary's bytes. */
  errors: string[]
  /** Digest of the body sent under each request id. */
  sent: Map<string, string>
}

/** Body size of the nth request: mostly 2 KB, sometimes 200 KB, now and then huge JSON. */
const bytesOf = (n: number) => (n % 150 === 100 ? 900_000 : n % 20 === 7 ? 200_000 : 2048)

/** Open loop: every request is sent at its own time, whatever happened to earlier ones. */
export async function load({ url, name, requests }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true })
  const result: LoadResult = { views: Array(requests), errors: [], sent: new Map() }
  const ends: Promise<void>[] = []
  const one = async (n: number) => {
    const body = bodyOf(n)
    const id = `${name}-${n}`
    result.sent.set(id, digestOf(body))
    try {
      const { head, answer } = await post(agent, url, id, body)
      const isRight = head.startsWith('200 ') && answer.equals(answerTo(body))
      if (!isRight) result.errors.push(`${id}: ${head} with ${answer.length} bytes`)
      result.views[n] = `${head} ${digestOf(answer)}`
    } catch (error) {
      result.errors.push(`${id}: ${(error as Error).message}`)
      result.views[n] = (error as Error).message
    }
  }
  const startedAt = performance.now()
  while (ends.length < requests) {
    const due = Math.min(requests, Math.ceil(((performance.now() - startedAt) * requestsPerSecond) / 1000))
    while (ends.length < due) ends.push(one(ends.length))
    await sleep(tickMs)
  }
  await Promise.all(ends)
  agent.destroy()
  return result
}

/** JSON with an `id`, always the same for the same n. */
function bodyOf(n: number): Buffer {
  const bytes = bytesOf(n)
  const start = `{"id":"${n}","pixels":"`
  const pixels = digestOf(Buffer.from(String(n)))
  return Buffer.from(`${start}${pixels.repeat(Math.ceil(bytes / pixels.length)).slice(start.length + 2, bytes)}"}`)
}

function post(agent: Agent, url: string, id: string, body: Buffer): Promise<{ head: string; answer: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, [requestIdHeader]: id }
    const outgoing = request(url, { method: 'POST', agent, headers, timeout: patienceMs })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${patienceMs} ms`)))
    outgoing.on('error', reject)
    outgoing.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const head = `${response.statusCode} ${response.rawHeaders.join('|')}`
        resolve({ head, answer: Buffer.concat(chunks) })
      })
    })
    outgoing.end(body)
  })
}
