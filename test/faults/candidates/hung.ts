import type { RequestListener } from 'node:http'

/** Accepts, reads, never answers. */
export const hung: RequestListener = (request) => {
  request.resume()
}
