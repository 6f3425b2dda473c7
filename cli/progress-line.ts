const plainIntervalMs = 5_000

/** One line on standard error: overwritten in place on a terminal, otherwise printed now and then. */
export class ProgressLine {
  #lastPlainAt = 0

  show(text: string): void {
    if (process.stderr.isTTY) {
      const width = process.stderr.columns || 80
      this.clear()
      process.stderr.write(text.length > width ? `${text.slice(0, width - 1)}…` : text)
    } else if (Date.now() - this.#lastPlainAt >= plainIntervalMs) {
      this.#lastPlainAt = Date.now()
      process.stderr.write(`${text}\n`)
    }
  }

  /** Prints a line that stays. */
  say(text: string): void {
    this.clear()
    process.stderr.write(`${text}\n`)
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  }
}
