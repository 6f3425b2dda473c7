import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { arrivals, type Pace } from './arrivals.ts'

/** Time in ms on the clock shared by all threads of a process. */
export const sharedNow = () => Number(process.hrtime.bigint()) / 1e6

type FromPacer = { startedAt: number } | { due: number }

/**
 * Reports how many requests are due, from the first to the last. Event loop timers have a resolution of a millisecond;
 * a thread that sleeps in `Atomics.wait` is ten times as exact. Resolves after the last request.
 */
export async function pace(
  settings: Pace,
  signal: AbortSignal,
  onStart: (startedAt: number) => void,
  onDue: (count: number) => void,
): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: settings })
  const stop = () => void worker.terminate()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  worker.on('message', (message: FromPacer) => {
    if (signal.aborted) return
    if ('due' in message) onDue(message.due)
    else onStart(message.startedAt)
  })
  await once(worker, 'exit')
  signal.removeEventListener('abort', stop)
}

if (!isMainThread && parentPort) {
  const never = new Int32Array(new SharedArrayBuffer(4))
  const startedAt = sharedNow() + 1
  parentPort.postMessage({ startedAt } satisfies FromPacer)
  let due = 0
  for (const at of arrivals(workerData as Pace)) {
    const leftMs = startedAt + at - sharedNow()
    if (leftMs > 0) Atomics.wait(never, 0, 0, leftMs)
    parentPort.postMessage({ due: ++due } satisfies FromPacer)
  }
}
