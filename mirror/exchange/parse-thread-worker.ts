/** The worker thread of `parse-thread.ts`. */
import { parentPort } from 'node:worker_threads'
import { correlationFromBody } from './correlation.ts'

export interface Sought {
  id: number
  body: Uint8Array
  pointer: string
}
export interface Found {
  id: number
  correlationId: string | undefined
}

parentPort!.on('message', ({ id, body, pointer }: Sought) => {
  const correlationId = correlationFromBody(Buffer.from(body.buffer, body.byteOffset, body.length), pointer)
  parentPort!.postMessage({ id, correlationId } satisfies Found)
})
