import type { Difference, OtherEnd } from './difference.ts'
import type { Reply } from './raw-primary.ts'
import type { ClientPart } from './view.ts'

export const forwarders = ['wire', 'http-proxy-3'] as const
export type ForwarderName = (typeof forwarders)[number]

/** What is not right yet: the test fails, and fails no longer once it is. */
export interface OpenDefect {
  forwarder: ForwarderName
  what: string
}

/** One exchange, or several on one connection, told as bytes. */
export interface Case {
  name: string
  sends: readonly ClientPart[]
  replies: readonly Reply[]
  /** Between what the ends see without a mirror and with one: what is right for every forwarder. */
  differences?: readonly (Difference | OtherEnd)[]
  /** What http-proxy-3's path changes beyond that and beyond `throughNode`. */
  throughHttpProxy3?: readonly (Difference | OtherEnd)[]
  open?: readonly OpenDefect[]
}

/** A head: lines, each ended, and the empty one. */
export const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`

export const host = 'host: models.example'
/** Primaries with a clock send one; what happens to an answer without is a case of its own. */
export const date = 'date: Sat, 21 Nov 2026 08:00:00 GMT'

export const ok = (body = 'ok', ...lines: string[]): string =>
  head('HTTP/1.1 200 OK', date, ...lines, `content-length: ${body.length}`) + body
