import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** Listens in a thread that then stops, so that nothing takes what waits to be accepted. */
const listener = `
  const { createServer } = require('node:net')
  const { parentPort, workerData } = require('node:worker_threads')
  createServer().listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage('listening')
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/** Makes an address of this machine one that drops attempts to connect, as a black hole does. Ends with the test. */
export async function silentAddress(host: string, port: number): Promise<void> {
  const worker = new Worker(listener, { eval: true, workerData: { host, port } })
  const waiting: Socket[] = []
  onTestFinished(async () => {
    for (const socket of waiting) socket.destroy()
    await worker.terminate()
  })
  await once(worker, 'message')
  const connects = async () => {
    const socket = connect(port, host).on('error', () => {})
    waiting.push(socket)
    const late = AbortSignal.timeout(200)
    return once(socket, 'connect', { signal: late }).then(
      () => true,
      () => false,
    )
  }
  // a queue of connections that is full takes no more
  while (await connects());
}
