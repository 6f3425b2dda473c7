import type { RequestListener } from 'node:http'

/** Accepts and reads, but never answers. */
export const hung: RequestListener = (request) => {
  request.resume()
}
