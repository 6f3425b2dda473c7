import type { RequestListener } from 'node:http'

/** As if its network were gone: the connection stays open, but nothing is read or written any more. */
export const deaf: RequestListener = (request) => {
  request.socket.pause()
}
