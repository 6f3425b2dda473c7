/**
 * Where an adapter runs, apart from the front's event loop: our own in a thread, which large bodies reach uncopied and
 * whose memory is bounded by theirs; a user's module in a process, since a thread that fills its heap may end the whole
 * process with it (measured, Node 26, whatever its `resourceLimits`), and all models that it serves.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FromRoom, RoomSetup, ToRoom } from './room-messages.ts'

export interface Room {
  /** `transfer`: may be gone from here afterwards. */
  post(message: ToRoom, transfer: ArrayBuffer[]): void
  /** Why it ended. */
  readonly ended: Promise<string>
  end(): Promise<void>
}

/** Of a module's objects; what lies under buffers and typed arrays is not among them. */
export const heapMiBMaxDefault = 1024

const main = new URL('./room-main.ts', import.meta.url)

export const openRoom = (setup: RoomSetup, heapMiBMax: number, onMessage: (message: FromRoom) => void): Room =>
  setup.kind === 'module' ? openProcess(setup, heapMiBMax, onMessage) : openThread(setup, onMessage)

function openThread(setup: RoomSetup, onMessage: (message: FromRoom) => void): Room {
  const worker = new Worker(main, { workerData: setup, stdout: true })
  // standard output is the server's own
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

function openProcess(setup: RoomSetup, heapMiBMax: number, onMessage: (message: FromRoom) => void): Room {
  const child = fork(fileURLToPath(main), [JSON.stringify(setup)], {
    execArgv: [`--max-old-space-size=${heapMiBMax}`],
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  let reason: string | undefined
  child.on('message', (message: FromRoom) => {
    if (message.kind === 'broken') reason = message.reason
    else onMessage(message)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`))
    // `close`, not `exit`: the last messages come before it
    child.once('close', (status, signal) => {
      const full = signal === 'SIGABRT' ? `: its objects may have taken more than ${heapMiBMax} MiB` : ''
      resolve(reason ?? `it ended with ${signal ?? `status ${status}`}${full}`)
    })
  })
  return {
    // one that is already gone is reported by its end
    post: (message) => void (child.connected && child.send(message, () => {})),
    ended,
    async end() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export const reasonOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
