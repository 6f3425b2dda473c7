import type { ClientRequest, IncomingMessage } from 'node:http'

// On either side Node forgets a request once its answer is over, although the body may still be arriving after an early
// answer.

/** Ends the request if the client leaves during the rest of its body, which Node would not report. */
export function endWithConnection(incoming: IncomingMessage): void {
  const { socket } = incoming
  const end = () => incoming.destroy()
  socket.once('close', end)
  incoming.once('end', () => socket.off('close', end))
}

/**
 * Emits `drain` when the upstream takes more of the rest of the body; Node would not, and the pipe would wait for ever.
 */
export function drainWithConnection(proxyRequest: ClientRequest): void {
  const { socket } = proxyRequest
  if (!socket || proxyRequest.writableFinished) return
  const drain = () => proxyRequest.emit('drain')
  socket.on('drain', drain)
  // the connection may serve other requests afterwards
  const over = () => socket.off('drain', drain)
  proxyRequest.once('finish', over)
  proxyRequest.once('close', over)
}
