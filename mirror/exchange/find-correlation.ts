import type { Bytes } from '../../vocabulary/units.ts'
import { type Fields, fieldValue } from '../http1/fields.ts'
import { correlationFromBody } from './correlation.ts'
import { decodeBody, isEncoded } from './decode-body.ts'
import { Limiter } from './limiter.ts'
import { ParseThread } from './parse-thread.ts'

/** JSON of this size takes a millisecond or more to parse, during which no live request would be served. */
const largeBytes: Bytes = 64 * 1024

/**
 * How many slow bodies are handled at once: as many as Node has threads to decode with. The others wait undecoded, as
 * their captures account for them: decoded they may be a thousand times larger, and the parse thread copies each.
 */
const atOnceMax = 4

const thread = new ParseThread()
const decoding = new Limiter(atOnceMax)

/**
 * Reads the correlation id at `pointer` in a whole request body after undoing its content coding, so that every mirror
 * finds the same id whatever coding a client or proxy chose. Undefined as in `correlationFromBody`, and if the body
 * can't be decoded within `bytesMax`. Returns a promise only where this takes time; it never rejects.
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
  return decoding.run(async () => {
    if (!isPacked) return parse(body, pointer)
    const decoded = await decodeBody(body, encoding!, bytesMax)
    return decoded.kind === 'decoded' ? parse(decoded.body, pointer) : undefined
  })
}

const parse = (body: Buffer, pointer: string) =>
  body.length < largeBytes ? correlationFromBody(body, pointer) : thread.correlation(body, pointer)
