import type { Worker } from 'node:cluster'

interface Handle {
  close(): void
}

const offeredTo = new WeakMap<Handle, Worker>()

/**
 * node:cluster offers a connection to a worker, and closes its own copy once the worker says that it took it. In two
 * cases it would stay open and its client wait for ever, so it is closed here: where the worker dies before it says
 * anything, and where it turns the connection down because it is leaving, and so are all others.
 */
export function closeUnaccepted(worker: Worker, isLeaving: () => boolean): void {
  // one at a time: the next is offered when this one was answered
  let last: Handle | undefined
  const closeLast = () => {
    // one that was turned down may have gone to another worker
    if (last && offeredTo.get(last) === worker) last.close()
  }
  const send = worker.process.send.bind(worker.process) as (...args: unknown[]) => boolean
  worker.process.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (handle) {
      last = handle as Handle
      offeredTo.set(last, worker)
    }
    return send(message, handle, ...rest)
  }
  // node:cluster's own listener was there first, and has offered it to another worker by now where one was free
  worker.process.on('internalMessage', ({ accepted }: { accepted?: boolean }) => {
    if (accepted === false && isLeaving()) closeLast()
  })
  worker.once('exit', closeLast)
}
