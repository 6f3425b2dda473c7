import { randomUUID } from 'node:crypto'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { takeLarge } from './used-again.ts'

/** One whose bodies of encoding base64 may still be bytes, in pieces, to be encoded where they go. */
export type Uncoded<Message> = Message extends unknown
  ? Omit<Message, 'body'> & { body?: string | readonly Buffer[] | undefined }
  : never
export type UncodedObservation = Omit<Observation, 'request' | 'primary' | 'candidate'> & {
  request: Uncoded<Observation['request']>
  primary: Uncoded<Observation['primary']>
  candidate: Uncoded<Observation['candidate']>
}

/** Stands for a body; known to nobody who could send it. */
const mark = randomUUID()
const markInJson = JSON.stringify(mark)
const quote = 0x22
const nothing = Buffer.alloc(0)
/**
 * A multiple of three. V8 makes a longer string than this gives outside of the space that is cleaned in passing, and a
 * few megabytes a second of them bring full collections, which keep live requests waiting.
 */
const stepBytes: Bytes = 48 * 1024

/** The JSON of an observation. Bodies that are bytes are encoded straight into it, a step at a time; `giveLargeBack`. */
export function observationBytes(observation: UncodedObservation): Buffer {
  const bodies: (readonly Buffer[])[] = []
  const cut = <Message extends { body?: string | readonly Buffer[] | undefined }>(message: Message): Message => {
    if (message.body === undefined || typeof message.body === 'string') return message
    bodies.push(message.body)
    return { ...message, body: mark }
  }
  const { request, primary, candidate } = observation
  // in the order in which they are written
  const json = JSON.stringify({
    ...observation,
    request: cut(request),
    primary: cut(primary),
    candidate: cut(candidate),
  })
  if (bodies.length === 0) return Buffer.from(json)
  const texts = json.split(markInJson)
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const bytes = takeLarge(bodies.reduce((sum, body) => sum + base64Bytes(body) + 2, textBytes))
  let at = bytes.write(texts[0]!)
  bodies.forEach((body, i) => {
    bytes[at++] = quote
    at = writeBase64(bytes, at, body)
    bytes[at++] = quote
    at += bytes.write(texts[i + 1]!, at)
  })
  return bytes
}

/** Returns where it ends. */
function writeBase64(bytes: Buffer, start: number, pieces: readonly Buffer[]): number {
  let at = start
  /** Of a group of three, what the pieces so far did not fill. */
  let rest: Buffer = nothing
  for (const piece of pieces) {
    let from = 0
    if (rest.length > 0) {
      from = Math.min(3 - rest.length, piece.length)
      rest = Buffer.concat([rest, piece.subarray(0, from)])
      if (rest.length < 3) continue
      at += bytes.write(rest.toString('base64'), at, 'latin1')
    }
    const end = piece.length - ((piece.length - from) % 3)
    for (; from < end; from += stepBytes) {
      at += bytes.write(piece.toString('base64', from, Math.min(from + stepBytes, end)), at, 'latin1')
    }
    rest = piece.subarray(end)
  }
  return at + bytes.write(rest.toString('base64'), at, 'latin1')
}

export const bytesOf = (pieces: readonly Buffer[]): Bytes => pieces.reduce((sum, { length }) => sum + length, 0)
const base64Bytes = (body: readonly Buffer[]): Bytes => Math.ceil(bytesOf(body) / 3) * 4
