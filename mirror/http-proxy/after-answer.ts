import type { ClientRequest, IncomingMessage } from 'node:http'

// Node forgets a request when its answer is over, on either side. Where the answer came early, its body still comes.

/** It would tell nobody of a client that leaves in the rest. */
export function endWithConnection(incoming: IncomingMessage): void {
  const { socket } = incoming
  const end = () => incoming.destroy()
  socket.once('close', end)
  incoming.once('end', () => socket.off('close', end))
}

/** It would tell nobody that the upstream takes more again, and what is piped into the request would wait for ever. */
export function drainWithConnection(proxyRequest: ClientRequest): void {
  const { socket } = proxyRequest
  if (!socket || proxyRequest.writableFinished) return
  const drain = () => proxyRequest.emit('drain')
  socket.on('drain', drain)
  // the connection may serve others afterwards
  const over = () => socket.off('drain', drain)
  proxyRequest.once('finish', over)
  proxyRequest.once('close', over)
}
