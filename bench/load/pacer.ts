import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface Pace {
  requestsPerSecond: number
  durationMs: number
}

/**
 * Calls `arrive` with each intended time (on the clock of `performance.now()` here), evenly spaced. Timers of an event
 * loop are a millisecond coarse, more than the latencies to be measured; a thread that sleeps in `Atomics.wait` is
 * exact to a tenth of that.
 */
export async function startPacer(pace: Pace, arrive: (intendedAt: number) => void): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: pace })
  const toHere = -performance.timeOrigin
  worker.on('message', (epochMs: number) => arrive(epochMs + toHere))
  await once(worker, 'exit')
}

if (!isMainThread && parentPort) {
  const { requestsPerSecond, durationMs } = workerData as Pace
  const gapMs = 1000 / requestsPerSecond
  const never = new Int32Array(new SharedArrayBuffer(4))
  const firstAt = performance.now() + gapMs
  for (let i = 0; i * gapMs < durationMs; i++) {
    const dueAt = firstAt + i * gapMs
    const leftMs = dueAt - performance.now()
    if (leftMs > 0) Atomics.wait(never, 0, 0, leftMs)
    parentPort.postMessage(performance.timeOrigin + dueAt)
  }
}
