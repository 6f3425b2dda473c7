import type { RequestListener } from 'node:http'

/** Just below the mirror's `capture.bodyMax` of 1 MiB, and dear to escape once more inside an observation. */
const body = Buffer.from(JSON.stringify({ predictions: [0.2, 0.8], words: Array(200_000).fill('"') }))

/** Answers with a megabyte of JSON that is all quotes. */
export const hugeJson: RequestListener = (request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
}
