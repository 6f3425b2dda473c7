import { fstatSync } from 'node:fs'

/** pino's levels as syslog's priorities. */
const priorities: Record<string, number> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 }

/** Whether standard error is a stream to systemd's journal: `JOURNAL_STREAM` names the device and inode of that stream. */
export function isJournal(): boolean {
  const { dev, ino } = fstatSync(2)
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`
}

/** `<4>{"level":"warn",…}`: journald takes the prefix off, and `journalctl --priority warning` finds the line. */
export function withPriority(line: string): string {
  const [, level] = /^\{"level":"(\w+)"/.exec(line) ?? []
  return `<${priorities[level!]}>${line}`
}
