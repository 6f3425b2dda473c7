import { mutate } from './mutate.ts'
import type { Random } from './random.ts'
import { keyOf, randomRequest } from './random-request.ts'
import { type Message, readMessage, tokensOf } from './read-message.ts'

/** One request as the reference reads it from the client's bytes. */
export interface Expected {
  key: string
  start: number
  end: number
  kind: 'whole' | 'partial' | 'bad'
  why: string | undefined
  message: Message
  /** Valid to the byte, like everything before it, so it must be answered. */
  isSure: boolean
}

/** `sent` and `received` count bytes on the connection. */
export type Leaving =
  | { kind: 'answered' | 'halfClosed' }
  | { kind: 'destroyed' | 'reset'; after: 'sent' | 'received'; bytes: number }

/** One client connection: what it sends, how, and how it leaves. */
export interface ClientConnection {
  index: number
  /** Whether it is handled by Node's own HTTP messages. */
  isPlain: boolean
  bytes: Buffer
  expected: Expected[]
  /** Why the reference would not read the remainder as a request. */
  refused: string | undefined
  cuts: number[]
  /** Whether it waits for each response before it sends the next request. */
  inTurn: boolean
  /** How long it reads nothing at first. */
  deafMs: number
  leaving: Leaving
}

export interface ConnectionShape {
  bodyBytesMax: number
  /** Node's messages change some unusual requests and accept some malformed ones, so neither are used. */
  isPlain: boolean
}

export function randomConnection(random: Random, index: number, shape: ConnectionShape): ClientConnection {
  const { bodyBytesMax, isPlain } = shape
  const count = random.choose({ 1: 4, 2: 2, 3: 2, 6: 1, 12: 1 })
  const requests = Array.from({ length: Number(count) }, (_, i) =>
    randomRequest(random, { bodyBytesMax, isPlain, isLast: i + 1 === Number(count) }),
  )
  if (!isPlain && random.chance(0.35)) {
    const at = random.int(0, requests.length - 1)
    const mutated = mutate(random, requests[at]!)
    // HTTP/1.0 takes another path through the mirror
    if (!mutated.includes('HTTP/1.0')) requests[at] = mutated
  }
  const bytes = Buffer.concat(requests)
  const inTurn = random.chance(0.4) || isPlain
  const connection = {
    index,
    isPlain,
    bytes,
    ...readRequests(bytes),
    cuts: random.cuts(bytes.length),
    inTurn,
    deafMs: random.chance(0.1) ? random.int(1, 20) : 0,
    leaving: randomLeaving(random, bytes.length),
  }
  return connection
}

function randomLeaving(random: Random, length: number): Leaving {
  const kind = random.choose({ answered: 7, halfClosed: 1, destroyed: 1, reset: 1 })
  if (kind === 'answered' || kind === 'halfClosed') return { kind }
  const after = random.pick(['sent', 'received'] as const)
  return { kind, after, bytes: after === 'sent' ? random.int(0, length) : random.size(3000) }
}

/**
 * The requests that a server may read from these bytes, up to the first that must be refused or that ends the
 * connection.
 */
export function readRequests(bytes: Buffer): { expected: Expected[]; refused: string | undefined } {
  const expected: Expected[] = []
  let isSure = true
  for (let at = 0; at < bytes.length; ) {
    const reading = readMessage(bytes, at, 'request')
    const { message } = reading
    if (!message) return { expected, refused: reading.kind === 'bad' ? reading.why : 'an unfinished head' }
    isSure &&= reading.kind === 'whole' && message.doubts.length === 0
    const end = reading.kind === 'whole' ? reading.end : bytes.length
    const why = reading.kind === 'bad' ? reading.why : undefined
    const key = keyOf(message.start[1])
    expected.push({ key, start: at, end, kind: reading.kind, why, message, isSure })
    if (reading.kind !== 'whole') return { expected, refused: why }
    if (!isKept(message))
      return { expected, refused: end < bytes.length ? 'the connection was to end before it' : undefined }
    at = end
  }
  return { expected, refused: undefined }
}

export function isKept({ start, fields }: Message): boolean {
  const tokens = tokensOf(fields, 'connection')
  if (tokens.includes('close')) return false
  return start[2] === 'HTTP/1.0' ? tokens.includes('keep-alive') : true
}
