import type { ValidationView } from '../../vocabulary/api.ts'

const plainIntervalMs = 5_000

/** One line on standard error that is written over on a terminal, and now and then a line of its own elsewhere. */
export class Progress {
  #lastPlainAt = 0
  #lastText = ''

  show(text: string): void {
    if (process.stderr.isTTY) {
      const width = process.stderr.columns ?? 80
      process.stderr.write(`\r\x1b[K${text.length > width ? `${text.slice(0, width - 1)}…` : text}`)
      this.#lastText = text
    } else if (Date.now() - this.#lastPlainAt >= plainIntervalMs) {
      this.#lastPlainAt = Date.now()
      process.stderr.write(`${text}\n`)
    }
  }

  /** A line that stays. */
  say(text: string): void {
    if (process.stderr.isTTY && this.#lastText !== '') process.stderr.write('\r\x1b[K')
    process.stderr.write(`${text}\n`)
    this.#lastText = ''
  }
}

export function summarise(requests: number, clientErrors: number, validations: ValidationView[]): string {
  const each = validations.map(({ name, state, verdict, livePercent, window }) => {
    const live = state === 'observing' ? '' : `, ${state} ${livePercent} %`
    return `${name} ${verdict} (${window.samples}/${window.samplesMin}${live})`
  })
  return `${requests} requests, ${clientErrors} errors | ${each.join(' | ')}`
}
