import { modelDigestHeader, modelNameHeader, modelVersionHeader } from '../../vocabulary/headers.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { WireResponse } from '../adapter/worker-adapter.ts'
import type { InferTimings } from '../model/infer-outcome.ts'
import type { ServedModel } from '../model/served-model.ts'

export interface Reply {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer | string
}

/** Timings of one request; 0 for phases that it did not reach. */
export interface RequestTimings extends InferTimings {
  preprocessMs: Milliseconds
}

/** Whether `content-length` is sent; statuses without a body omit it (RFC 9110, 8.6). */
export const hasContentLength = ({ status }: Reply) => status !== 204 && status !== 304

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

/** Connection headers: the code that writes the reply sets them, and a module may have those of another connection. */
const ofConnections = new Set(['content-length', 'connection', 'keep-alive', 'transfer-encoding', 'trailer', 'date'])

export function replyOfModule({ status, headers, body }: WireResponse): Reply {
  const own = headers.filter(([name]) => !ofConnections.has(name))
  const cookies = own.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
  return {
    status,
    // every other header is already merged into one value
    headers: { ...Object.fromEntries(own), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body: body instanceof Uint8Array ? bufferOf(body) : (body ?? ''),
  }
}

/** Buffers arrive from another thread or process as plain `Uint8Array`s. */
export const bufferOf = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length)

export function modelHeaders(model: ServedModel): Record<string, string> {
  return {
    [modelNameHeader]: model.name,
    [modelVersionHeader]: model.version,
    [modelDigestHeader]: model.loaded.digest,
  }
}

export const serverTiming = ({ queueMs, preprocessMs, batchMs, inferMs }: RequestTimings): Record<string, string> => ({
  'server-timing': `queue;dur=${roundToMicros(queueMs)}, preprocess;dur=${roundToMicros(preprocessMs)}, batch;dur=${roundToMicros(batchMs)}, infer;dur=${roundToMicros(inferMs)}`,
})

/** Milliseconds rounded to microseconds; `toFixed` takes twice as long. */
const roundToMicros = (ms: Milliseconds) => Math.round(ms * 1000) / 1000
