import { randomUUID } from 'node:crypto'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { takeLarge } from '../capture/reused-memory.ts'
import { runInSteps } from './run-in-steps.ts'

/** An observation whose base64 bodies may still be bytes, in pieces, to be encoded as they are written. */
type Uncoded<Message> = Message extends unknown
  ? Omit<Message, 'body'> & { body?: string | readonly Buffer[] | undefined }
  : never
export type UncodedObservation = Omit<Observation, 'request' | 'primary' | 'candidate'> & {
  request: Uncoded<Observation['request']>
  primary: Uncoded<Observation['primary']>
  candidate: Uncoded<Observation['candidate']>
}

/** A placeholder for a body, random so that no body can contain it. */
const mark = randomUUID()
const markInJson = JSON.stringify(mark)
const quote = 0x22
const nothing = Buffer.alloc(0)
/**
 * A multiple of three. V8 allocates longer strings outside the young generation, and a few megabytes of them a second
 * cause full collections, which delay live requests.
 */
const pieceBytes: Bytes = 48 * 1024
/** Encoded in one step, which takes a sixth of a millisecond; live requests are served between steps. */
const stepBytes: Bytes = 6 * pieceBytes

/**
 * The JSON of an observation. Bodies that are bytes are encoded straight into it. Return the buffer with
 * `giveLargeBack`. Returns a promise only if the bodies are too long for one step; they must then stay unchanged until
 * it resolves.
 */
export function observationBytes(observation: UncodedObservation): Buffer | Promise<Buffer> {
  const bodies: (readonly Buffer[])[] = []
  const cut = <Message extends { body?: string | readonly Buffer[] | undefined }>(message: Message): Message => {
    if (message.body === undefined || typeof message.body === 'string') return message
    bodies.push(message.body)
    return { ...message, body: mark }
  }
  const { request, primary, candidate } = observation
  // in the order in which JSON.stringify writes them
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
  if (bodies.reduce((sum, body) => sum + bytesOf(body), 0) > stepBytes) return runInSteps(steps)
  return steps.next().value!
}

/** Writes texts with the bodies between them, `stepBytes` of bodies a step. The memory is taken in the first step. */
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

/** The same bytes in pieces that can be encoded separately: the length of each but the last is a multiple of three. */
function* inThrees(pieces: readonly Buffer[]): Generator<Buffer> {
  /** The beginning of a group of three that the pieces so far did not fill. */
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
