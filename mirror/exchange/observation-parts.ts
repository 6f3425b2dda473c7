import { isUtf8 } from 'node:buffer'
import { versionLengthMax } from '../../vocabulary/outcome.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { type Fields, fieldValue } from '../http1/fields.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { decodeBody, isEncoded } from './decode-body.ts'
import { Limiter } from './limiter.ts'
import { bytesOf, type UncodedObservation } from './observation-bytes.ts'

/** What parts of a message go into an observation; names in lower case. */
export interface ObservationRules {
  headers: readonly string[]
  versionHeader: string
  digestHeader: string
  bodyMax: Bytes
}

type UncodedRequest = UncodedObservation['request']
type UncodedOutcome = UncodedObservation['candidate']

const pathLengthMax = 8192
/** Quoting a megabyte of JSON again takes ten times as long as base64 and delays live requests. */
const textBytesMax: Bytes = 16 * 1024

/**
 * How many bodies are decoded at once: as many as Node has threads. The others wait undecoded: decoded they may be a
 * thousand times larger.
 */
const decodingMax = 4
const waitingMax = 1000
const decoding = new Limiter(decodingMax, waitingMax)

/** Accounts for a decoded body; false if there is no room for it. */
type Hold = (decoded: Buffer) => boolean

/**
 * Returns a promise only if something must be decoded, so that the common case costs no turn of the event loop. It
 * resolves to undefined if there is no room, in memory or in the queue.
 */
export function observedRequest(
  { method, target, fields }: Pick<LiveRequest, 'method' | 'target' | 'fields'>,
  body: Buffer,
  rules: ObservationRules,
  hold: Hold,
): UncodedRequest | Promise<UncodedRequest | undefined> {
  const encoding = fieldValue(fields, 'content-encoding')
  const copy = (kept: Buffer, isDecoded: boolean): UncodedRequest => ({
    method,
    path: target.slice(0, pathLengthMax),
    headers: pickHeaders(fields, rules, isDecoded),
    ...observedBody([kept]),
    bodyBytes: body.length,
  })
  if (!isEncoded(encoding, body.length)) return copy(body, true)
  return decoding
    .run(() => decodeBody(body, encoding!, rules.bodyMax))
    .then((decoded) => {
      if (decoded?.kind !== 'decoded') return decoded && copy(body, false)
      return hold(decoded.body) ? copy(decoded.body, true) : undefined
    })
}

/**
 * Like `observedRequest`. A response that decodes beyond the limit becomes `tooLarge`; one that can't be decoded is kept
 * as it is.
 */
export function observedOutcome(
  outcome: LegOutcome,
  rules: ObservationRules,
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
    ...observedBody(kept),
    ttfbMs: rounded(outcome.ttfbMs),
    ...timings,
  })
  if (!isEncoded(encoding, body.bytes)) return answered(body.pieces(), true)
  return decoding
    .run(() => decodeBody(body.toBuffer(), encoding!, rules.bodyMax))
    .then((decoded) => {
      if (decoded?.kind === 'tooLarge') return { kind: 'tooLarge', ...timings }
      if (decoded?.kind !== 'decoded') return decoded && answered(body.pieces(), false)
      return hold(decoded.body) ? answered([decoded.body], true) : undefined
    })
}

function pickHeaders(fields: Fields, rules: ObservationRules, isDecoded: boolean): Record<string, string> {
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

/**
 * A body counts as text if it is UTF-8 without NUL, which databases refuse in text; bodies beyond `textBytesMax` are
 * not examined.
 */
function observedBody(pieces: readonly Buffer[]): {
  body: string | readonly Buffer[]
  bodyEncoding: 'utf8' | 'base64'
} {
  if (bytesOf(pieces) > textBytesMax) return { body: pieces, bodyEncoding: 'base64' }
  const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  return isUtf8(body) && !body.includes(0)
    ? { body: body.toString('utf8'), bodyEncoding: 'utf8' }
    : { body: body.toString('base64'), bodyEncoding: 'base64' }
}

function modelOf(fields: Fields = [], rules: ObservationRules) {
  const version = fieldValue(fields, rules.versionHeader)
  const digest = fieldValue(fields, rules.digestHeader)
  return {
    ...(version !== undefined && { version: version.slice(0, versionLengthMax) }),
    ...(digest !== undefined && { digest: digest.slice(0, versionLengthMax) }),
  }
}

const queued = (outcome: LegOutcome) => outcome.queuedMs !== undefined && { queuedMs: rounded(outcome.queuedMs) }
/** Microsecond precision is enough, and shorter. */
const rounded = (ms: number) => Math.max(0, Math.round(ms * 1000) / 1000)
