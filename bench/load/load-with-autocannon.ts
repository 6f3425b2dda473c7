import autocannon from 'autocannon'
import type { SaturatedResult } from './load-saturated.ts'
import { path, requestBody } from './payload.ts'

export interface AutocannonLoad {
  kind: 'autocannon'
  port: number
  connections: number
  durationMs: number
  requestBytes: number
}

/** The same closed loop with autocannon, to show whether our load generator is the limit. */
export async function loadWithAutocannon(load: AutocannonLoad): Promise<SaturatedResult> {
  const result = await autocannon({
    url: `http://127.0.0.1:${load.port}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: requestBody(load.requestBytes),
    connections: load.connections,
    duration: load.durationMs / 1000,
  })
  const errors = result.errors + result.non2xx
  return { requestsPerSecond: result['2xx'] / result.duration, requests: result['2xx'] + errors, errors }
}
