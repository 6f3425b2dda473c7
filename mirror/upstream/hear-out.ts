import type { Socket } from 'node:net'

type WriteCallback = (error?: Error | null) => void

/**
 * Lets a socket's failed write end it only once what had arrived is read. An upstream may refuse an upload midway and
 * close, which resets the connection: the next write then fails while the answer still waits in the kernel.
 */
export function hearOut(socket: Socket): void {
  const write = socket._write.bind(socket)
  const writev = socket._writev!.bind(socket)
  socket._write = (chunk, encoding, done) => write(chunk, encoding, afterReading(done))
  socket._writev = (chunks, done) => writev(chunks, afterReading(done))
}

const afterReading =
  (done: WriteCallback): WriteCallback =>
  (error) => {
    // sockets are read between one turn's immediates and the next's
    if (error) setImmediate(() => setImmediate(() => done(error)))
    else done()
  }
