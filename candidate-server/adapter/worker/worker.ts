/**
 * Where an adapter runs, off the front's event loop. Our own adapters run in a thread, which receives large bodies
 * without a copy and whose memory is bounded by them. A user's module runs in a process: a thread that fills its heap
 * may take down the whole process and every model it serves (measured, Node 26, whatever its `resourceLimits`).
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FromWorker, ToWorker, WorkerSetup } from './worker-messages.ts'

export interface AdapterWorker {
  /** Buffers in `transfer` may be detached afterwards. */
  post(message: ToWorker, transfer: ArrayBuffer[]): void
  /** Resolves with the reason it ended. */
  readonly ended: Promise<string>
  end(): Promise<void>
}

/** Heap limit for a module's objects; memory under buffers and typed arrays is not included. */
export const heapMiBMaxDefault = 1024

const main = new URL('./worker-main.ts', import.meta.url)

export const startWorker = (
  setup: WorkerSetup,
  heapMiBMax: number,
  onMessage: (message: FromWorker) => void,
): AdapterWorker =>
  setup.kind === 'module' ? startProcess(setup, heapMiBMax, onMessage) : startThread(setup, onMessage)

function startThread(setup: WorkerSetup, onMessage: (message: FromWorker) => void): AdapterWorker {
  const worker = new Worker(main, { workerData: setup, stdout: true })
  // standard output is reserved for the server
  worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk))
  let reason: string | undefined
  worker.on('error', (error) => {
    reason = reasonOf(error)
  })
  worker.on('message', onMessage)
  const ended = new Promise<string>((resolve) => {
    worker.on('exit', (status) => resolve(reason ?? `it ended with status ${status}`))
  })
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    ended,
    end: async () => void (await worker.terminate()),
  }
}

function startProcess(setup: WorkerSetup, heapMiBMax: number, onMessage: (message: FromWorker) => void): AdapterWorker {
  const child = fork(fileURLToPath(main), [JSON.stringify(setup)], {
    execArgv: [`--max-old-space-size=${heapMiBMax}`],
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  let reason: string | undefined
  child.on('message', (message: FromWorker) => {
    if (message.kind === 'broken') reason = message.reason
    else onMessage(message)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`))
    // `close`, not `exit`: it follows the last messages
    child.once('close', (status, signal) => {
      const full = signal === 'SIGABRT' ? `: its objects may have taken more than ${heapMiBMax} MiB` : ''
      resolve(reason ?? `it ended with ${signal ?? `status ${status}`}${full}`)
    })
  })
  return {
    // if the child has already gone, its exit is reported instead
    post: (message) => void (child.connected && child.send(message, () => {})),
    ended,
    async end() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export const reasonOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
