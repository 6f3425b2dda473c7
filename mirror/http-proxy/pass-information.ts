import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'

/** Early hints, and no other 1xx. */
export function passInformation(
  proxyRequest: ClientRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  proxyRequest.on('information', ({ statusCode, headers }) => {
    // HTTP/1.0 knows none (RFC 9110, 15.2); behind another answer of the same client it would land within its own
    if (incoming.httpVersion === '1.0' || response.socket === null) return
    if (statusCode === 103 && headers.link) response.writeEarlyHints(headers as Record<string, string>)
  })
}
