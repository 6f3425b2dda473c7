import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { toClient } from '../../forward/live-headers.ts'
import { type Fields, field, fieldsOf, fieldValue, headText } from '../../http1/fields.ts'
import { resetConnection } from '../../reset-connection.ts'

// http-proxy-3's own ways to pass an answer to a handshake write header bytes beyond ASCII as UTF-8, and leave one side's
// connection open where the other's is gone; a refusal they read as fast as it comes, whether the client reads or not.

/** For a client to close its side when the primary has; without a byte either way. */
const lingerMs: Milliseconds = 30_000

/** From now on the two sides talk to each other, until both have said that they end, or either is gone. */
export function switchProtocols(response: IncomingMessage, primary: Socket, early: Buffer, client: Socket): void {
  primary.on('error', () => {}) // its close follows
  primary.setTimeout(0)
  primary.setNoDelay(true)
  primary.setKeepAlive(true)
  client.once('close', (isBroken) => {
    // nobody takes what the primary still has to say: without a reader its end would not be seen
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
 * The primary's answer to a client that stays with HTTP, which is the last on its connection: the end of that tells where
 * a body ends that came without a length. Whoever is silent for `silenceMaxMs`, primary or client, ends it.
 */
export function passRefusal(response: IncomingMessage, client: Socket, silenceMaxMs: Milliseconds): void {
  const fields = fieldsOf(response.rawHeaders)
  const coding = fieldValue(fields, 'transfer-encoding')
  const isFramed = response.headers['content-length'] !== undefined && coding === undefined
  const breakOff = () => (isFramed ? client.destroySoon() : resetConnection(client))
  response.on('error', breakOff)
  // Node takes the chunks out of nothing but chunks
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
