import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** Statuses for errors of Node's parser; any other is a 400. */
const statuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The connection ended within a request. */
const clientLeft = 'HPE_INVALID_EOF_STATE'

/** The whole answer to something that is not a request; the connection must end after it. */
export const bareRefusalText = (status: number) =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`

/**
 * Does what Node's server does with an unreadable request when nobody listens for `clientError`. Returns the status;
 * undefined if the connection broke and the request is not at fault.
 */
export function refuseAsNode({ code = '' }: NodeJS.ErrnoException, socket: Socket): number | undefined {
  const status = statuses[code] ?? (code.startsWith('HPE_') ? 400 : undefined)
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse }
  if (status && socket.writable && !response?.headersSent) {
    socket.write(bareRefusalText(status))
  }
  socket.destroy()
  return code === clientLeft ? undefined : status
}
