import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'

const piece = Buffer.alloc(100_000, '1')
const pieces = 1000

/** Answers with 100 MB, as fast as they are read. */
export const hundredMegabytes: RequestListener = (request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': piece.length * pieces })
    const body = Readable.from(Array(pieces).fill(piece))
    body.pipe(response)
    response.once('close', () => body.destroy())
  })
}
