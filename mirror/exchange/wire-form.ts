import { isUtf8 } from 'node:buffer'
import type { Bytes } from '../../vocabulary/units.ts'
import { type Fields, fieldValue } from '../http1/fields.ts'
import { decodeBody, isEncoded } from './decode-body.ts'
import type { LegOutcome } from './leg-outcome.ts'
import { bytesOf, type UncodedObservation } from './observation-bytes.ts'
import { Turns } from './turns.ts'

/** What of a message goes into an observation; names in lower case. */
export interface WireRules {
  headers: readonly string[]
  versionHeader: string
  digestHeader: string
  bodyMax: Bytes
}

type UncodedRequest = UncodedObservation['request']
type UncodedOutcome = UncodedObservation['candidate']

const pathLengthMax = 8192
const versionLengthMax = 200
/** A megabyte of JSON, quoted again, would keep live requests waiting ten times as long as it does in base64. */
const textBytesMax: Bytes = 16 * 1024

/**
 * Bodies that are decoded at once, as many as Node has threads for. The others wait as they came: decoded they may be a
 * thousand times as large.
 */
const decodingMax = 4
const waitingMax = 1000
const turns = new Turns(decodingMax, waitingMax)

/** Takes a decoded body into account; false where there is no room for it. */
type Hold = (decoded: Buffer) => boolean

/**
 * A promise only where something is to be decoded, so that the common case costs no turn of the loop; of undefined where
 * there is no room for that, in memory or among those that wait.
 */
export function requestOnWire(
  method: string,
  path: string,
  fields: Fields,
  body: Buffer,
  rules: WireRules,
  hold: Hold,
): UncodedRequest | Promise<UncodedRequest | undefined> {
  const encoding = fieldValue(fields, 'content-encoding')
  const copy = (kept: Buffer, isDecoded: boolean): UncodedRequest => ({
    method,
    path: path.slice(0, pathLengthMax),
    headers: pickHeaders(fields, rules, isDecoded),
    ...bodyOnWire([kept]),
    bodyBytes: body.length,
  })
  if (!isEncoded(encoding, body.length)) return copy(body, true)
  return turns
    .take(() => decodeBody(body, encoding!, rules.bodyMax))
    .then((decoded) => {
      if (decoded?.kind !== 'decoded') return decoded && copy(body, false)
      return hold(decoded.body) ? copy(decoded.body, true) : undefined
    })
}

/** As above. A response that grows too large when decoded was `tooLarge`; one that can't be decoded goes as it is. */
export function outcomeOnWire(
  outcome: LegOutcome,
  rules: WireRules,
  hold: Hold,
): UncodedOutcome | Promise<UncodedOutcome | undefined> {
  const timings = { totalMs: rounded(outcome.totalMs), ...queued(outcome), ...modelOf(outcome.fields, rules) }
  if (outcome.kind !== 'answered') return { kind: outcome.kind, ...timings }
  const { body, fields, status } = outcome
  const encoding = fieldValue(fields, 'content-encoding')
  const answered = (kept: readonly Buffer[], isDecoded: boolean): UncodedOutcome => ({
    kind: 'answered',
    status,
    headers: pickHeaders(fields, rules, isDecoded),
    ...bodyOnWire(kept),
    ttfbMs: rounded(outcome.ttfbMs),
    ...timings,
  })
  if (!isEncoded(encoding, body.bytes)) return answered(body.pieces(), true)
  return turns
    .take(() => decodeBody(body.toBuffer(), encoding!, rules.bodyMax))
    .then((decoded) => {
      if (decoded?.kind === 'tooLarge') return { kind: 'tooLarge', ...timings }
      if (decoded?.kind !== 'decoded') return decoded && answered(body.pieces(), false)
      return hold(decoded.body) ? answered([decoded.body], true) : undefined
    })
}

function pickHeaders(fields: Fields, rules: WireRules, isDecoded: boolean): Record<string, string> {
  const picked: Record<string, string> = {}
  const pick = (name: string) => {
    const value = fieldValue(fields, name)
    if (value !== undefined) picked[name] = value
  }
  pick('content-type')
  for (const name of rules.headers) pick(name)
  if (isDecoded) delete picked['content-encoding']
  else pick('content-encoding')
  return picked
}

/** Text is UTF-8 without NUL, which databases refuse in text; long bodies are not looked at (`textBytesMax`). */
function bodyOnWire(pieces: readonly Buffer[]): {
  body: string | readonly Buffer[]
  bodyEncoding: 'utf8' | 'base64'
} {
  if (bytesOf(pieces) > textBytesMax) return { body: pieces, bodyEncoding: 'base64' }
  const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  return isUtf8(body) && !body.includes(0)
    ? { body: body.toString('utf8'), bodyEncoding: 'utf8' }
    : { body: body.toString('base64'), bodyEncoding: 'base64' }
}

function modelOf(fields: Fields = [], rules: WireRules) {
  const version = fieldValue(fields, rules.versionHeader)
  const digest = fieldValue(fields, rules.digestHeader)
  return {
    ...(version !== undefined && { version: version.slice(0, versionLengthMax) }),
    ...(digest !== undefined && { digest: digest.slice(0, versionLengthMax) }),
  }
}

const queued = (outcome: LegOutcome) => outcome.queuedMs !== undefined && { queuedMs: rounded(outcome.queuedMs) }
/** Microseconds are enough, and shorter. */
const rounded = (ms: number) => Math.max(0, Math.round(ms * 1000) / 1000)
