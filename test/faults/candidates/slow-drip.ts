import type { RequestListener } from 'node:http'

const everyMs = 20

/** Sends its head at once and then one byte at a time, for ever. */
export const slowDrip: RequestListener = (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json' })
  const dripping = setInterval(() => response.write('1'), everyMs)
  response.once('close', () => clearInterval(dripping))
}
