import type { Worker } from 'node:cluster'

interface Handle {
  close(): void
}

interface FromNode {
  act?: string
  ack?: number
  accepted?: boolean
}

/** Workers to which node:cluster may offer what another turned down. */
const accepting = new Set<Worker>()

/**
 * node:cluster offers a connection to a worker, and closes its own copy once the worker says that it took it. In two
 * cases it would stay open and its client wait for ever, so it is closed here: where the worker dies before it says
 * anything, and where it turns the connection down and no other worker accepts any more.
 */
export function closeUnaccepted(worker: Worker): void {
  const offered = new Map<number, Handle>()
  const send = worker.process.send.bind(worker.process) as (...args: unknown[]) => boolean
  worker.process.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (handle) offered.set((message as { seq: number }).seq, handle as Handle)
    return send(message, handle, ...rest)
  }
  worker.on('listening', () => accepting.add(worker))
  // node:cluster's own listener was there first: where it could, it has the connection in its queue or with another
  worker.process.on('internalMessage', ({ act, ack, accepted }: FromNode) => {
    if (act === 'close') accepting.delete(worker)
    if (ack === undefined) return
    if (accepted === false && accepting.size === 0) offered.get(ack)?.close()
    offered.delete(ack)
  })
  worker.once('exit', () => {
    accepting.delete(worker)
    for (const handle of offered.values()) handle.close()
  })
}
