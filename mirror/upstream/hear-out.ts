import type { Socket } from 'node:net'

type WriteCallback = (error?: Error | null) => void

/**
 * Lets a socket's failed write end it only once what had arrived is read. An upstream may refuse an upload midway and
 * close, which resets the connection: the next write then fails while the answer still waits in the kernel.
 */
export function hearOut(socket: Socket): void {
  const write = socket._write.bind(socket)
  const writev = socket._writev!.bind(socket)
  const push = socket.push.bind(socket)
  let hasFailed = false
  const afterReading =
    (done: WriteCallback): WriteCallback =>
    (error) => {
      hasFailed ||= Boolean(error)
      // sockets are read between one turn's immediates and the next's
      if (error) setImmediate(() => setImmediate(() => done(error)))
      else done()
    }
  socket._write = (chunk, encoding, done) => write(chunk, encoding, afterReading(done))
  socket._writev = (chunks, done) => writev(chunks, afterReading(done))
  // the kernel reports a reset once, to the write; the end that it then reports must not complete an answer
  socket.push = (chunk, encoding) => (hasFailed && chunk === null ? false : push(chunk, encoding))
}
