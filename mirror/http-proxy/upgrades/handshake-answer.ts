import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { toClient } from '../../forward/live-headers.ts'
import { type Fields, field, fieldsOf, fieldValue, headText } from '../../http1/fields.ts'
import { keepAliveProbes } from '../../keep-alive-probes.ts'
import { resetConnection } from '../../reset-connection.ts'

// We pass handshake answers on ourselves: http-proxy-3 writes header bytes beyond ASCII as UTF-8, leaves one side's
// connection open when the other's is gone, and reads a refusal as fast as it comes even if the client does not.

/** How long a client may take to close its side after the primary has, without a byte in either direction. */
const lingerMs: Milliseconds = 30_000

/** Connects the two sides until both have ended or either is gone. */
export function switchProtocols(response: IncomingMessage, primary: Socket, early: Buffer, client: Socket): void {
  primary.on('error', () => {}) // 'close' follows
  primary.setTimeout(0)
  primary.setNoDelay(true)
  primary.setKeepAlive(true, keepAliveProbes.keepAliveInitialDelay)
  client.once('close', (isBroken) => {
    // nobody reads what the primary still sends, and without a reader its end would go unseen
    if (isBroken) primary.destroy()
    else primary.destroySoon()
  })
  primary.once('close', () => {
    client.end()
    client.resume()
    client.setTimeout(lingerMs, () => client.destroy())
  })
  if (early.length > 0) primary.unshift(early)
  client.write(headOf(response, fieldsOf(response.rawHeaders)), 'latin1')
  primary.pipe(client).pipe(primary)
}

/**
 * Passes on the answer of a primary that does not switch protocols. It is the last answer on its connection, whose
 * close ends a body without a length. If primary or client stays silent for `silenceMaxMs`, the connection is reset.
 */
export function passRefusal(response: IncomingMessage, client: Socket, silenceMaxMs: Milliseconds): void {
  const fields = fieldsOf(response.rawHeaders)
  const coding = fieldValue(fields, 'transfer-encoding')
  const isFramed = response.headers['content-length'] !== undefined && coding === undefined
  const breakOff = () => (isFramed ? client.destroySoon() : resetConnection(client))
  response.on('error', breakOff)
  // Node decodes chunked only where it is the sole coding
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    client.destroySoon()
    return
  }
  client.setTimeout(silenceMaxMs, () => resetConnection(client))
  const kept = toClient(fields).filter(({ name }) => name !== 'transfer-encoding' && name !== 'trailer')
  client.write(headOf(response, [...kept, field('Connection', 'close')]), 'latin1')
  response.pipe(client)
}

const headOf = ({ statusCode, statusMessage }: IncomingMessage, fields: Fields) =>
  headText(`HTTP/1.1 ${statusCode} ${statusMessage}`, fields)
