import { randomUUID } from 'node:crypto'
import type { Observation } from '../../vocabulary/observation.ts'

/** Stands for a long body; known to nobody who could send it. */
const mark = randomUUID()
const markInJson = JSON.stringify(mark)
const quote = Buffer.from('"')
/** Shorter ones cost less than cutting them out. */
const longLength = 16 * 1024

/** The JSON of an observation. Long bodies in base64, which hold nothing to escape, are put in without being read again. */
export function observationBytes(observation: Observation): Buffer {
  const long: string[] = []
  const cut = <Message extends object>(message: Message): Message => {
    const { body, bodyEncoding } = message as { body?: string; bodyEncoding?: string }
    if (bodyEncoding !== 'base64' || body === undefined || body.length < longLength) return message
    long.push(body)
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
  if (long.length === 0) return Buffer.from(json)
  const [first = '', ...rest] = json.split(markInJson)
  const parts = rest.flatMap((text, i) => [quote, Buffer.from(long[i]!, 'latin1'), quote, Buffer.from(text)])
  return Buffer.concat([Buffer.from(first), ...parts])
}
