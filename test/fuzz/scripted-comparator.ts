import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Random } from './random.ts'

export interface ScriptedComparator {
  url: string
  /** Accepted observations, by id. */
  observations: Map<string, Observation>
  rejected: number
  /** Whether calls may fail; turned off at the end, so that everything can be delivered. */
  isFailing: boolean
  close(): void
}

/**
 * Accepts observations once by id. While failing, it also rejects single ones, answers 500, and resets before or after.
 */
export async function scriptedComparator(random: Random, isFailing: boolean): Promise<ScriptedComparator> {
  const rejectedIds = new Set<string>()
  const server = createServer(async (request, response) => {
    request.on('error', () => {})
    const answer = (status: number, body: unknown) => json(response, status, body)
    if (request.url!.startsWith('/v1/routing')) return void setTimeout(() => answer(503, {}), 1000).unref()
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (request.url === '/v1/coverage') return answer(202, {})
    const { observations } = JSON.parse(Buffer.concat(parts).toString()) as { observations: Observation[] }
    const how = comparator.isFailing
      ? random.choose({ accepts: 8, rejects: 2, fails: 1, resets: 1, acceptsAndResets: 1 })
      : 'accepts'
    if (how === 'fails') return answer(500, {})
    if (how === 'resets') return request.socket.resetAndDestroy()
    let duplicates = 0
    const rejected: { index: number; code: string; message: string }[] = []
    for (const [index, observation] of observations.entries()) {
      const { id } = observation
      if (comparator.observations.has(id)) duplicates++
      else if (rejectedIds.has(id) || (how === 'rejects' && random.chance(0.3))) {
        rejectedIds.add(id)
        rejected.push({ index, code: 'TEST', message: 'as the script says' })
      } else comparator.observations.set(id, observation)
    }
    comparator.rejected = rejectedIds.size
    if (how === 'acceptsAndResets') request.socket.resetAndDestroy()
    else answer(202, { accepted: observations.length - duplicates - rejected.length, duplicates, rejected })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const comparator: ScriptedComparator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    observations: new Map(),
    rejected: 0,
    isFailing,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return comparator
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
