import type { RequestListener } from 'node:http'

/** As if the way to it were gone: the connection stays, and nothing is read from it or written to it ever again. */
export const deaf: RequestListener = (request) => {
  request.socket.pause()
}
