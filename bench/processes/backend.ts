import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import type { AcceptReceipt } from '../../vocabulary/observation.ts'
import { responseBody } from '../load/payload.ts'

/**
 * The services behind the proxies, as a process of its own: `node bench/processes/backend.ts`. Answers the message
 * `ports` with the port of each part, and `counts` with each part's number of requests; `closeIdle` closes connections
 * without a request in progress.
 *
 * - `model` answers every request at once. One process is the primary, another the candidate.
 * - `hung` accepts and reads, but never answers.
 * - `comparator` accepts every observation, and holds the routing poll. With `--accept-once` it remembers their ids, so
 *   that an observation delivered twice counts once.
 */
export interface BackendPorts {
  model: number
  hung: number
  comparator: number
}
export interface BackendCounts {
  model: number
  observations: number
}
export type BackendQuestion = 'ports' | 'counts' | 'closeIdle'

/**
 * Longer than any pause of a bench: otherwise a connection might close under a proxy's request, and the proxy would be
 * blamed.
 */
const idleMs = 600_000
const responseHeaders = {
  'content-type': 'application/json',
  'content-length': responseBody.length,
  'x-model-version': '7',
}
/** Quotes inside a body are escaped, so this occurs only at the start of an observation. */
const observationStart = '{"id":"'
const counts: BackendCounts = { model: 0, observations: 0 }
const idLength = 36
const knownIds = process.argv.includes('--accept-once') ? new Set<string>() : undefined

const answerAtOnce: RequestListener = (request, response) => {
  request.resume().once('end', () => {
    counts.model++
    response.writeHead(200, responseHeaders).end(responseBody)
  })
}

const acceptEverything: RequestListener = async (request, response) => {
  const body = await bodyOf(request).catch(() => undefined)
  if (!body) return // the mirror has given up on this delivery and will repeat it
  if (request.url!.startsWith('/v1/routing')) {
    setTimeout(() => response.writeHead(304).end(), pollMs(request.url!))
    return
  }
  const receipt = request.url === '/v1/observations' ? accept(body) : { accepted: 0, duplicates: 0, rejected: [] }
  counts.observations += receipt.accepted
  response.writeHead(202, { 'content-type': 'application/json' })
  response.end(JSON.stringify(receipt))
}

function accept(body: Buffer): AcceptReceipt {
  const receipt: AcceptReceipt = { accepted: 0, duplicates: 0, rejected: [] }
  for (let at = body.indexOf(observationStart); at >= 0; at = body.indexOf(observationStart, at + 1)) {
    const idAt = at + observationStart.length
    if (isNew(body.toString('latin1', idAt, idAt + idLength))) receipt.accepted++
    else receipt.duplicates++
  }
  return receipt
}

function isNew(id: string): boolean {
  if (!knownIds) return true
  const before = knownIds.size
  return knownIds.add(id).size > before
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const pollMs = (url: string) => 1000 * Number(/wait=(\d+)s/.exec(url)?.[1] ?? 0)

async function listen(server: Server | TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const model = createHttpServer({ keepAliveTimeout: idleMs }, answerAtOnce)
const comparator = createHttpServer({ keepAliveTimeout: idleMs }, acceptEverything)
const ports: BackendPorts = {
  model: await listen(model),
  hung: await listen(createTcpServer((socket) => socket.resume().on('error', () => {}))),
  comparator: await listen(comparator),
}

function answer(question: BackendQuestion): BackendPorts | BackendCounts {
  switch (question) {
    case 'ports':
      return ports
    case 'closeIdle':
      model.closeIdleConnections()
      comparator.closeIdleConnections()
      return counts
    case 'counts':
      return counts
  }
}

process.on('message', (question: BackendQuestion) => process.send!(answer(question)))
process.on('disconnect', () => process.exit(0))
