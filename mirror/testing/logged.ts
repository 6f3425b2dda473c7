import { Writable } from 'node:stream'
import { type Logger, pino } from 'pino'

export type LogLine = Record<string, unknown> & { msg: string }

/** A logger whose lines a test can read. */
export function loggerUnderTest(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()))
      done()
    },
  })
  return { logger: pino({ formatters: { level: (level) => ({ level }) } }, sink), lines }
}
