import type { RequestListener } from 'node:http'

const promisedBytes = 4096

/** Sends half of the body that its head announces, then resets the connection. */
export const resetMidBody: RequestListener = (request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': promisedBytes })
    response.write('1'.repeat(promisedBytes / 2), () => request.socket.resetAndDestroy())
  })
}
