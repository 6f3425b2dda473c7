import { write, writeSync } from 'node:fs'
import type { Bytes, Milliseconds } from '../vocabulary/units.ts'

const fd = 2
/** Lines that nobody reads wait in memory; beyond this they are dropped. */
const waitingMax: Bytes = 16 * 1024 * 1024
/** Lines are written so many at once, or a little more. */
const blockBytes: Bytes = 16 * 1024
const tryAgainMs: Milliseconds = 100
/** At exit a pipe that is full has a second to be read on. */
const tryEveryMs: Milliseconds = 10
const triesMax = 100

const nothing = Buffer.alloc(0)

/**
 * What the process has to say, written in the background:
 *
 *     idle ──line──▶ writing ──all is out──▶ idle
 *                      │ ▲ └──the disk is full──▶ idle: what waits is tried again with the next line
 *        the pipe is full └── heldBack ──tryAgainMs──▶ writing
 *
 * Nobody waits for it and nobody hears of its failures, least of all the process's end.
 */
class StandardError {
  #mode: 'idle' | 'writing' | 'heldBack' = 'idle'
  /** What is not out of the block that is written now. */
  #rest: Buffer = nothing
  #blocks: string[] = []
  #bytes = 0

  constructor() {
    // a look at it sets a pipe not to block: `heldBack` and the exit's limit of time live on EAGAIN
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
   * As far as it goes, and for as long as somebody reads. A block that is being written at this moment may be cut off or
   * come behind, since nobody can tell how much of it is out. To write in the foreground would spare that; but a process
   * that ends sets the pipe back to block for all that share it, and live traffic would wait for its reader.
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

/** The process has one. */
export const standardError = new StandardError()
