import type { RequestListener } from 'node:http'

const body = JSON.stringify({ predictions: [0.2, 0.8] })

/** Answers at once. */
export const healthy: RequestListener = (request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
}
