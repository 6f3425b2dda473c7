import type { Difference, OtherEnd } from './difference.ts'
import type { Reply } from './raw-primary.ts'
import type { ClientPart } from './view.ts'

export const forwarders = ['wire', 'http-proxy-3'] as const
export type ForwarderName = (typeof forwarders)[number]

/** A known defect: the test is expected to fail until it is fixed. */
export interface OpenDefect {
  forwarder: ForwarderName
  what: string
}

/** One exchange, or several on one connection, as bytes. */
export interface Case {
  name: string
  sends: readonly ClientPart[]
  replies: readonly Reply[]
  /** What every forwarder rightly changes, compared with no mirror. */
  differences?: readonly (Difference | OtherEnd)[]
  /** What http-proxy-3's path changes in addition, beyond `throughNode`. */
  throughHttpProxy3?: readonly (Difference | OtherEnd)[]
  open?: readonly OpenDefect[]
}

/** A head: each line with its end, and the empty line. */
export const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`

export const host = 'host: models.example'
/** Servers with a clock send a date; an answer without one is a case of its own. */
export const date = 'date: Sat, 21 Nov 2026 08:00:00 GMT'

export const ok = (body = 'ok', ...lines: string[]): string =>
  head('HTTP/1.1 200 OK', date, ...lines, `content-length: ${body.length}`) + body
