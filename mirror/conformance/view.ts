import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type RawClient, rawClient, received, sendPieces } from './raw-client.ts'
import { probe, type RawPrimary } from './raw-primary.ts'

/** What the two ends of one run saw, byte for byte. */
export interface View {
  /** Everything that the client received. */
  client: string
  /** `kept`: another request on the same connection was answered, in step; `mute`: it was not, and nothing closed. */
  end: 'kept' | 'mute' | 'FIN' | 'RST'
  /** The complete requests that the primary received on any connection, in order of completion. */
  requests: string[]
  /** What the primary received of requests that never became complete. */
  unfinished: string
}

/** Bytes to send, bytes to await before any more are sent, or the end of what the client sends. */
export type ClientPart = string | { awaits: string } | 'half-close'

export interface Sending {
  parts: readonly ClientPart[]
  /** Cuts a part into the pieces that are sent. */
  cut?: (part: string) => Iterable<string>
}

/** What to wait for before a run counts as over; a run that never gets there is over a little later. */
export interface Expected {
  clientBytes: number
  requestCount: number
  end: View['end']
}

const stragglersMs = 2000
const closingMs = 2000
const closingUnannouncedMs = 30

export async function view(url: string, primary: RawPrimary, sending: Sending, expected: Expected): Promise<View> {
  const client = await rawClient(url)
  const isHalfClosed = await sendAll(client, sending)
  await received(client, (bytes) => bytes.length >= expected.clientBytes)
  await waitFor('requests', () => primary.requests.length >= expected.requestCount, Boolean, stragglersMs).catch(
    () => {},
  )
  const seen = await endOf(client, isHalfClosed || expected.end !== 'kept')
  client.socket.destroy()
  const unfinished = primary.connections.map(({ received: bytes, framed }) => bytes.slice(framed)).join('')
  return { ...seen, requests: primary.requests, unfinished }
}

async function sendAll(client: RawClient, { parts, cut }: Sending): Promise<boolean> {
  for (const part of parts) {
    if (part === 'half-close') client.socket.end()
    else if (typeof part === 'string') await sendPieces(client, cut ? cut(part) : [part])
    else await received(client, (bytes) => bytes.includes(part.awaits))
  }
  return parts.at(-1) === 'half-close'
}

/** `isLast`: the connection can take no more requests, so this only waits for its end. */
async function endOf(client: RawClient, isLast: boolean): Promise<Pick<View, 'client' | 'end'>> {
  await received(client, () => false, isLast ? closingMs : closingUnannouncedMs)
  if (client.end === 'open') {
    await sendPieces(client, [probe])
    await received(client, (bytes) => bytes.endsWith('in step.'), closingMs)
    if (client.received.endsWith('in step.')) {
      return { client: client.received.slice(0, client.received.lastIndexOf('HTTP/1.1 200 ')), end: 'kept' }
    }
  }
  return { client: client.received, end: client.end === 'open' ? 'mute' : client.end }
}
