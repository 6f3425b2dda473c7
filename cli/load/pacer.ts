import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { arrivals, type Pace } from './arrivals.ts'

/** Time in ms on the clock shared by all threads of a process. */
export const sharedNow = () => Number(process.hrtime.bigint()) / 1e6

/** Places in what the threads share: how many requests are due, and whether a message that says so is under way. */
const due = 0
const isTold = 1

type FromPacer = { startedAt: number } | 'due'

interface PacerData {
  settings: Pace
  shared: Int32Array<SharedArrayBuffer>
}

/**
 * Reports how many requests are due, from the first to the last. Event loop timers have a resolution of a millisecond;
 * a thread that sleeps in `Atomics.wait` is ten times as exact. At most one message waits to be read, so that memory
 * does not grow if this thread is the slower one. Resolves after the last request.
 */
export async function pace(
  settings: Pace,
  signal: AbortSignal,
  onStart: (startedAt: number) => void,
  onDue: (count: number) => void,
): Promise<void> {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL(import.meta.url), { workerData: { settings, shared } satisfies PacerData })
  const stop = () => void worker.terminate()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  worker.on('message', (message: FromPacer) => {
    if (signal.aborted) return
    if (message !== 'due') return onStart(message.startedAt)
    // before the count is read: what comes due later is told again
    Atomics.store(shared, isTold, 0)
    onDue(Atomics.load(shared, due))
  })
  await once(worker, 'exit')
  signal.removeEventListener('abort', stop)
}

if (!isMainThread && parentPort) {
  const never = new Int32Array(new SharedArrayBuffer(4))
  const startedAt = sharedNow() + 1
  parentPort.postMessage({ startedAt } satisfies FromPacer)
  const { settings, shared } = workerData as PacerData
  for (const at of arrivals(settings)) {
    const leftMs = startedAt + at - sharedNow()
    if (leftMs > 0) Atomics.wait(never, 0, 0, leftMs)
    Atomics.add(shared, due, 1)
    if (Atomics.exchange(shared, isTold, 1) === 0) parentPort.postMessage('due' satisfies FromPacer)
  }
}
