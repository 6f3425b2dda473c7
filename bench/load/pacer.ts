import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Pace {
  requestsPerSecond: number
  durationMs: number
}

/**
 * Calls `arrive` with each intended time (on this process's `performance.now()` clock): one in each interval of the
 * rate, at a random moment within it. Evenly spaced arrivals would stay in step with timers in the system under test: at
 * 300/s every thirtieth met the bundle that the mirror sends 100 ms after an exchange, more than the one per cent that a
 * p99 is about.
 *
 * Event loop timers have a resolution of a millisecond, coarser than the latencies to be measured; a thread that sleeps
 * in `Atomics.wait` is ten times as exact.
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
  const beginsAt = performance.now()
  for (let i = 0; i * gapMs < durationMs; i++) {
    const dueAt = beginsAt + (i + Math.random()) * gapMs
    const leftMs = dueAt - performance.now()
    if (leftMs > 0) Atomics.wait(never, 0, 0, leftMs)
    parentPort.postMessage(performance.timeOrigin + dueAt)
  }
}
