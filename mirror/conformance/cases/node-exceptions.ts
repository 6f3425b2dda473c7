/**
 * What Node does instead: a status; or the request passes as one, the server waits for the rest, or it closes without
 * an answer.
 */
export interface NodeException {
  does: number | 'passes' | 'waits' | 'closes'
  why: string
}

const long: NodeException = { does: 'waits', why: 'its parser counts to 2^64' }

/**
 * Refusals, by name, that http-proxy-3's path leaves to Node's HTTP server and that it handles differently from ours.
 */
export const nodeExceptions: Record<string, NodeException> = {
  'a request without a version': { does: 505, why: 'its parser reads it as version 0.9' },
  'two spaces in the first line': { does: 'passes', why: 'its parser skips the second' },
  'a tunnel': { does: 'closes', why: 'a server that listens for no CONNECT closes on it' },
  'a size that does not fit an exact number': long,
  'a second size that does not fit an exact number': long,
  'an extension of 20 KB': { does: 413, why: 'it has a status for these' },
  'trailers of 100 KB': { does: 431, why: 'it has a status for these' },
  'the trailer host: other.example': { does: 'passes', why: 'its parser knows no trailer that has no place there' },
  'the trailer connection: close': { does: 'passes', why: 'the same' },
}
