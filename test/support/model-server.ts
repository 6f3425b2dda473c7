import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepsConnections } from '../../mirror/testing/keeps-connections.ts'

/** Stands in for a team's app server: answers every POST with `answer(body)`. */
export async function startModelServer(version: string, answer: (body: string) => unknown) {
  const server = createServer(keepsConnections, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-model-version': version })
      response.end(JSON.stringify(answer(Buffer.concat(chunks).toString())))
    })
    request.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url, stop }
}
