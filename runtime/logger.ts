import { writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import { ConfigError } from './config/problem.ts'

export type { Logger }

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** Lines for a standard error that nobody reads wait in memory; beyond this they are dropped. */
const waitingMax = 16 * 1024 * 1024
/** At exit a pipe that is full has a second to be read on. */
const tryEveryMs = 10
const triesMax = 100

/** JSON lines on standard error, so that standard output stays a command's own. Level from `LOG_LEVEL`. */
export function createLogger(service: string, level?: LogLevel): Logger {
  return pino(
    {
      name: service,
      level: level ?? levelOfEnvironment(),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie', '*.token'],
    },
    standardError(),
  )
}

/** Empty, as a file for containers passes on what nobody set, it is not set. */
function levelOfEnvironment(): string {
  const asked = process.env.LOG_LEVEL || 'info'
  if (levels.includes(asked.toLowerCase())) return asked.toLowerCase()
  const expected = `one of ${levels.join(', ')}`
  throw new ConfigError('the environment', [{ path: 'LOG_LEVEL', value: asked, expected }])
}

const levels = ['silent', ...Object.values(pino.levels.labels).reverse()]

function standardError() {
  // a block that a full pipe did not take is no longer being written, whatever `_writing` says, and is tried again
  let isHeldBack = false
  const retryEAGAIN = () => {
    isHeldBack = true
    return true
  }
  const destination = pino.destination({ dest: 2, sync: false, maxLength: waitingMax, retryEAGAIN })
  destination.on('write', () => {
    isHeldBack = false
  })
  // as of a full disk: what waits is tried again with the next line, where without a listener the process would end
  destination.on('error', () => {})
  // by itself it would try until all of it is out: on a full disk for ever, with the process, its port and its clients
  destination.flushSync = () => writeRest(destination as unknown as Waiting, isHeldBack)
  return destination
}

/** What sonic-boom 4 calls what it has not written yet. */
interface Waiting {
  _writing: boolean
  _writingBuf: string | Buffer
  _bufs: string[]
}

/** At exit: as far as it goes, and for as long as somebody reads. */
function writeRest({ _writing, _writingBuf, _bufs }: Waiting, isHeldBack: boolean): void {
  const rest = Buffer.concat(
    [...(_writing && !isHeldBack ? [] : [_writingBuf]), ..._bufs].map((text) => Buffer.from(text)),
  )
  let triesLeft = triesMax
  for (let at = 0; at < rest.length && triesLeft > 0; ) {
    try {
      at += writeSync(2, rest, at)
      triesLeft = triesMax
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      triesLeft--
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, tryEveryMs)
    }
  }
}

/** What helps to find a fault. Database drivers hang a statement's parameters on their errors: users' data stays out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
