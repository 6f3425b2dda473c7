import { write, writeSync } from 'node:fs'
import type { Bytes, Milliseconds } from '../vocabulary/units.ts'

const fd = 2
/** Unread lines wait in memory; beyond this they are dropped. */
const waitingMax: Bytes = 16 * 1024 * 1024
/** Lines are written in blocks of about this size. */
const blockBytes: Bytes = 16 * 1024
const tryAgainMs: Milliseconds = 100
/** At exit the reader of a full pipe has a second to read on. */
const tryEveryMs: Milliseconds = 10
const triesMax = 100

const nothing = Buffer.alloc(0)

/**
 * Writes log lines in the background:
 *
 *     idle ──line──▶ writing ──all written──▶ idle
 *                      │ ▲ └──the disk is full──▶ idle: waiting lines are tried again with the next line
 *        the pipe is full └── heldBack ──tryAgainMs──▶ writing
 *
 * Nothing waits for it or sees its failures, not even the end of the process.
 */
class StandardError {
  #mode: 'idle' | 'writing' | 'heldBack' = 'idle'
  /** The unwritten rest of the current block. */
  #rest: Buffer = nothing
  #blocks: string[] = []
  #bytes = 0

  constructor() {
    // accessing it makes a pipe non-blocking: `heldBack` and the time limit at exit rely on EAGAIN
    void process.stderr
    process.once('exit', () => this.#writeRest())
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line)
    if (this.#bytes + bytes > waitingMax) return
    this.#bytes += bytes
    const last = this.#blocks.at(-1)
    if (last !== undefined && last.length < blockBytes) this.#blocks[this.#blocks.length - 1] = last + line
    else this.#blocks.push(line)
    if (this.#mode === 'idle') this.#writeNext()
  }

  #writeNext(): void {
    if (this.#rest.length === 0) this.#rest = Buffer.from(this.#blocks.shift() ?? '')
    if (this.#rest.length === 0) {
      this.#mode = 'idle'
      return
    }
    this.#mode = 'writing'
    write(fd, this.#rest, (error, written) => {
      if (error) this.#notWritten(error)
      else {
        this.#bytes -= written
        this.#rest = this.#rest.subarray(written)
        this.#writeNext()
      }
    })
  }

  #notWritten({ code }: NodeJS.ErrnoException): void {
    this.#mode = code === 'EAGAIN' ? 'heldBack' : 'idle'
    if (this.#mode === 'heldBack') setTimeout(() => this.#writeNext(), tryAgainMs).unref()
  }

  /**
   * Writes as much as possible while somebody reads. A block whose write is in flight may be cut off or come out of
   * order, since nobody can tell how much of it was written. Writing in the foreground would avoid that; but a process
   * that ends sets the pipe back to blocking for all that share it, and live traffic would wait for the pipe's reader.
   */
  #writeRest(): void {
    const rest = Buffer.concat([
      this.#mode === 'writing' ? nothing : this.#rest,
      ...this.#blocks.map((text) => Buffer.from(text)),
    ])
    let triesLeft = triesMax
    for (let at = 0; at < rest.length && triesLeft > 0; ) {
      try {
        at += writeSync(fd, rest, at)
        triesLeft = triesMax
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        triesLeft--
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, tryEveryMs)
      }
    }
  }
}

/** One per process. */
export const standardError = new StandardError()
