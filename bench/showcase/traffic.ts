import type { Observation } from '../../vocabulary/observation.ts'
import type { FailureKind, Outcome } from '../../vocabulary/outcome.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { Chance } from './chance.ts'

const hourMs: Milliseconds = 3_600_000

/** The definition of a validation's traffic. Times are story times, see `history.ts`. */
export interface Traffic {
  validation: string
  /** Requests per hour at the daily peak; at night it is a third of that. */
  perHour: number
  from: EpochMs
  to: EpochMs
  exchange(moment: Moment): Exchange
}

interface Moment {
  at: EpochMs
  /** Index among this validation's exchanges, from 0. */
  i: number
  chance: Chance
  /** Load relative to the peak hour, in (0, 1]: answers take longer under load. */
  load: number
}

type Exchange = Pick<Observation, 'request' | 'primary' | 'candidate'> &
  Partial<Pick<Observation, 'correlationId' | 'live'>>

/** All exchanges of `traffic`, ordered by time; the same in every run for the same times. */
export function* exchangesOf(traffic: Traffic, seed: number): Generator<Observation> {
  const chance = new Chance(seed)
  let i = 0
  for (let at = traffic.from; at < traffic.to; ) {
    const load = loadAt(at)
    at += (-Math.log(1 - chance.uniform()) * hourMs) / (traffic.perHour * load)
    if (at >= traffic.to) return
    const exchange = traffic.exchange({ at, i: i++, chance, load })
    yield {
      id: chance.idAt(at),
      validation: traffic.validation,
      at: new Date(at).toISOString(),
      ...exchange,
      live: exchange.live ?? 'primary',
    }
  }
}

/** Highest at 14 h, lowest at 2 h. */
function loadAt(at: EpochMs): number {
  const hour = (at % (24 * hourMs)) / hourMs
  return 0.67 + 0.33 * Math.sin((2 * Math.PI * (hour - 8)) / 24)
}

/** Milliseconds around a median, skewed as response times are; now and then one request waits behind another. */
export function took({ chance, load }: Moment, medianMs: number): Milliseconds {
  const waited = chance.is(0.02 * load) ? medianMs * (0.6 + chance.uniform()) : 0
  return round(medianMs * (0.9 + 0.2 * load) * Math.exp(0.22 * chance.normal()) + waited, 2)
}

interface Answer {
  body: unknown
  totalMs: Milliseconds
  version: string
  digest?: string
  queuedMs?: Milliseconds
  contentType?: string
  status?: number
}

export function answered({ body, totalMs, contentType = 'application/json', status = 200, ...rest }: Answer): Outcome {
  return {
    kind: 'answered',
    status,
    headers: { 'content-type': contentType },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    bodyEncoding: 'utf8',
    ttfbMs: round(totalMs * 0.93, 2),
    totalMs,
    ...rest,
  }
}

export function notAnswered(kind: FailureKind, totalMs: Milliseconds, version: string): Outcome {
  return { kind, totalMs, version }
}

/** A request whose body is JSON. */
export function asked(path: string, body: unknown): Observation['request'] {
  const text = JSON.stringify(body)
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: text,
    bodyEncoding: 'utf8',
    bodyBytes: Buffer.byteLength(text),
  }
}

export function askedWithPicture(
  path: string,
  picture: Buffer,
  contentType: string,
  headers: Record<string, string> = {},
): Observation['request'] {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': contentType, ...headers },
    body: picture.toString('base64'),
    bodyEncoding: 'base64',
    bodyBytes: picture.length,
  }
}

/** Wait in the mirror's own queue, usually close to none. */
export function queued({ chance, load }: Moment): Milliseconds {
  return round(0.08 * Math.exp(0.6 * chance.normal()) + (chance.is(0.06 * load) ? 4 * chance.uniform() : 0), 3)
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
