import type { RequestListener } from 'node:http'

const lines = Array.from({ length: 1000 }, (_, i) => `x-flood-${i}: ${'1'.repeat(50)}\r\n`).join('')

/** Sends endless header lines, as fast as they are read. */
export const headerFlood: RequestListener = (request) => {
  const { socket } = request.resume()
  const flood = () => {
    while (!socket.destroyed && socket.write(lines)) {}
  }
  socket.on('drain', flood)
  socket.write('HTTP/1.1 200 OK\r\n')
  flood()
}
