import type { Bytes } from '../../vocabulary/units.ts'
import { type Fields, fieldValue } from '../http1/fields.ts'
import { correlationFromBody } from './correlation.ts'
import { decodeBody, isEncoded } from './decode-body.ts'
import { ParseThread } from './parse-thread.ts'
import { Turns } from './turns.ts'

/** From here on JSON takes a millisecond and more to parse, in which no live request would be served. */
const largeBytes: Bytes = 64 * 1024

/**
 * Of those that take time, as many as Node has threads to decode with. The others wait as they came, which their
 * captures account for: decoded they may be a thousand times as large, and the parse thread has a copy of each.
 */
const atOnceMax = 4

const thread = new ParseThread()
const turns = new Turns(atOnceMax)

/**
 * What a whole request's body has at `pointer` once its content coding is undone, so that each replica finds the same
 * whatever coding a client or a proxy before it chose. Undefined as in `correlationFromBody`, and where it can't be
 * decoded within `bytesMax`. A promise only where that takes time; it never rejects.
 */
export function findCorrelation(
  body: Buffer,
  fields: Fields,
  pointer: string,
  bytesMax: Bytes,
): string | undefined | Promise<string | undefined> {
  const encoding = fieldValue(fields, 'content-encoding')
  const isPacked = isEncoded(encoding, body.length)
  if (!isPacked && body.length < largeBytes) return correlationFromBody(body, pointer)
  return turns.take(async () => {
    if (!isPacked) return parse(body, pointer)
    const decoded = await decodeBody(body, encoding!, bytesMax)
    return decoded.kind === 'decoded' ? parse(decoded.body, pointer) : undefined
  })
}

const parse = (body: Buffer, pointer: string) =>
  body.length < largeBytes ? correlationFromBody(body, pointer) : thread.correlation(body, pointer)
