import { modelDigestHeader, modelNameHeader, modelVersionHeader } from '../../vocabulary/headers.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ServedModel } from '../model/served-model.ts'

export interface Reply {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer | string
}

/** Of one request, as far as it came. */
export interface RequestTimings {
  queueMs: Milliseconds
  preprocessMs: Milliseconds
  batchMs: Milliseconds
  inferMs: Milliseconds
}

/** Of a body; a status that allows none goes without (RFC 9110, 8.6). */
export const saysLength = ({ status }: Reply) => status !== 204 && status !== 304

export const json = (value: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

export const text = (body: string, contentType: string): Reply => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
})

/** Of a connection: they are said by whoever writes the reply, and here they may be those of another one. */
const ofConnections = new Set(['content-length', 'connection', 'keep-alive', 'transfer-encoding', 'trailer', 'date'])

export async function ofWebResponse(response: Response): Promise<Reply> {
  const cookies = response.headers.getSetCookie()
  const own = [...response.headers].filter(([name]) => !ofConnections.has(name))
  return {
    status: response.status,
    // every other name stands once, its values joined
    headers: { ...Object.fromEntries(own), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body: Buffer.from(await response.arrayBuffer()),
  }
}

export function modelHeaders(model: ServedModel): Record<string, string> {
  return {
    [modelNameHeader]: model.name,
    [modelVersionHeader]: model.version,
    [modelDigestHeader]: model.loaded.digest,
  }
}

export const serverTiming = ({ queueMs, preprocessMs, batchMs, inferMs }: RequestTimings): Record<string, string> => ({
  'server-timing': `queue;dur=${inMicros(queueMs)}, preprocess;dur=${inMicros(preprocessMs)}, batch;dur=${inMicros(batchMs)}, infer;dur=${inMicros(inferMs)}`,
})

/** Milliseconds to the microsecond; `toFixed` takes twice as long. */
const inMicros = (ms: Milliseconds) => Math.round(ms * 1000) / 1000
