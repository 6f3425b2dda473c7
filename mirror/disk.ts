import { readFile } from 'node:fs/promises'
import type { Logger } from '../runtime/logger.ts'
import type { Milliseconds } from '../vocabulary/units.ts'

/** A call that takes longer hangs. Meanwhile clients wait, at a start, or memory fills. */
const hangMs: Milliseconds = 5000

export class DiskHangs extends Error {
  constructor() {
    super(`the disk has not answered for ${hangMs} ms`)
    this.name = 'DiskHangs'
  }
}

let underWay = 0

/** Whether a call has not ended, be it one that was given up: Node does not exit before that. */
export const isDiskBusy = () => underWay > 0

/** What `call` resolves with. Rejects with its error, or with `DiskHangs`; the call itself goes on. */
export const inTime = <Result>(call: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    watched(call, () => reject(new DiskHangs())).then(resolve, reject)
  })

/** A file's text, for a start. Rejects with the system's error, or with `DiskHangs`. */
export const readInTime = (file: string): Promise<string> => inTime(readFile(file, 'utf8'))

/**
 * The disk of a mirror's spool, one call at a time. A disk may hang: a call neither fails nor ends, such as one to a
 * file server that is gone. Each such call holds one of the four threads of the process that also look up the names of
 * upstreams and decode bodies. With more than one at a time, a primary given by its name could soon not be reached.
 */
export class Disk {
  readonly #logger: Logger
  #lastCall: Promise<unknown> = Promise.resolve()
  #isHanging = false
  /** Called when the disk begins to hang. */
  readonly #giveUp = new Set<() => void>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get isHanging(): boolean {
    return this.#isHanging
  }

  /** Makes the call once all earlier ones are over. */
  inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastCall.then(() => this.#run(call))
    this.#lastCall = turn.catch(() => {})
    return turn
  }

  /** As `call`, which was made `inTurn`, but resolves as soon as the disk hangs, with undefined. */
  async unlessHanging<Result>(call: Promise<Result>): Promise<Result | undefined> {
    const hangs = Promise.withResolvers<undefined>()
    if (this.#isHanging) hangs.resolve(undefined)
    this.#giveUp.add(hangs.resolve as () => void)
    try {
      return await Promise.race([call, hangs.promise])
    } finally {
      this.#giveUp.delete(hangs.resolve as () => void)
    }
  }

  async #run<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await watched(call(), () => {
        this.#isHanging = true
        this.#logger.error('the spool’s disk does not answer; memory holds what it has room for and is delivered')
        for (const giveUp of this.#giveUp) giveUp()
      })
    } finally {
      if (this.#isHanging) this.#logger.info('the spool’s disk answers again')
      this.#isHanging = false
    }
  }
}

/** As `call`; calls `hangs` once it takes too long. */
async function watched<Result>(call: Promise<Result>, hangs: () => void): Promise<Result> {
  let isOver = false
  // if this process was busy, the answer may be there and unheard of
  const timer = setTimeout(() => setImmediate(() => isOver || hangs()), hangMs)
  underWay++
  try {
    return await call
  } finally {
    isOver = true
    underWay--
    clearTimeout(timer)
  }
}
