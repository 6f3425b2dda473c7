import { path, requestBody } from './payload.ts'

/** The request as sent over the socket, head and body in one buffer; all connections use the same one. */
export function requestMessage(port: number, bodyBytes: number): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: */*\r\nuser-agent: bench\r\n` +
    `content-type: application/json\r\ncontent-length: ${bodyBytes}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), requestBody(bodyBytes)])
}
