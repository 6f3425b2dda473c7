import { randomUUID } from 'node:crypto'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { inSteps } from './in-steps.ts'
import { takeLarge } from './used-again.ts'

/** One whose bodies of encoding base64 may still be bytes, in pieces, to be encoded where they go. */
type Uncoded<Message> = Message extends unknown
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
const pieceBytes: Bytes = 48 * 1024
/** Encoded in one go, which takes a sixth of a millisecond; live requests come between these steps of what is longer. */
const stepBytes: Bytes = 6 * pieceBytes

/**
 * The JSON of an observation. Bodies that are bytes are encoded straight into it; `giveLargeBack`. A promise only where
 * they are too long for one step, and then they are read until it is kept.
 */
export function observationBytes(observation: UncodedObservation): Buffer | Promise<Buffer> {
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
  const bytes = bodies.reduce((sum, body) => sum + base64Bytes(body) + 2, textBytes)
  const steps = write(bytes, texts, bodies)
  if (bodies.reduce((sum, body) => sum + bytesOf(body), 0) > stepBytes) return inSteps(steps)
  return steps.next().value!
}

/** Texts with the bodies between them, `stepBytes` of these in a step; memory for them is taken with the first one. */
function* write(
  length: Bytes,
  texts: readonly string[],
  bodies: readonly (readonly Buffer[])[],
): Generator<undefined, Buffer> {
  const bytes = takeLarge(length)
  let at = bytes.write(texts[0]!)
  let left = stepBytes
  for (const [i, body] of bodies.entries()) {
    bytes[at++] = quote
    for (const piece of inThrees(body)) {
      if (left < piece.length) {
        yield
        left = stepBytes
      }
      left -= piece.length
      at += bytes.write(piece.toString('base64'), at, 'latin1')
    }
    bytes[at++] = quote
    at += bytes.write(texts[i + 1]!, at)
  }
  return bytes
}

/** The same bytes in pieces of which each but the last is groups of three, and so can be encoded by itself. */
function* inThrees(pieces: readonly Buffer[]): Generator<Buffer> {
  /** Of a group, what the pieces so far did not fill. */
  let rest: Buffer = nothing
  for (const piece of pieces) {
    let from = 0
    if (rest.length > 0) {
      from = Math.min(3 - rest.length, piece.length)
      rest = Buffer.concat([rest, piece.subarray(0, from)])
      if (rest.length < 3) continue
      yield rest
    }
    const end = piece.length - ((piece.length - from) % 3)
    for (; from < end; from += pieceBytes) yield piece.subarray(from, Math.min(from + pieceBytes, end))
    rest = piece.subarray(end)
  }
  yield rest
}

export const bytesOf = (pieces: readonly Buffer[]): Bytes => pieces.reduce((sum, { length }) => sum + length, 0)
const base64Bytes = (body: readonly Buffer[]): Bytes => Math.ceil(bytesOf(body) / 3) * 4
