import { type Logger, pino } from 'pino'
import { ConfigError } from './config/problem.ts'
import { isJournal, withPriority } from './journal.ts'
import { standardError } from './standard-error.ts'

export type { Logger }

declare module 'pino' {
  /** Fields that pino itself puts on every line: log collectors reject a line with a duplicate field. */
  interface LogFnFields extends Partial<Record<'level' | 'time' | 'pid' | 'hostname' | 'name' | 'msg', never>> {}
}

type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** JSON lines on standard error; standard output is left to the command. Level from `LOG_LEVEL`. */
export function createLogger(service: string, level?: LogLevel): Logger {
  return pino(
    {
      name: service,
      level: level ?? levelOfEnvironment(),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      ...(isJournal() && { hooks: { streamWrite: withPriority } }),
      redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie', '*.token'],
    },
    standardError,
  )
}

/** An empty `LOG_LEVEL`, as compose files pass on unset variables, counts as unset. */
function levelOfEnvironment(): string {
  const asked = process.env.LOG_LEVEL || 'info'
  if (levels.includes(asked.toLowerCase())) return asked.toLowerCase()
  const expected = `one of ${levels.join(', ')}`
  throw new ConfigError('the environment', [{ path: 'LOG_LEVEL', value: asked, expected }])
}

const levels = ['silent', ...Object.values(pino.levels.labels).reverse()]

/**
 * Only the fields that help to find a fault: database drivers attach a statement's parameters to errors, and users'
 * data must stay out of the log.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return {
    name,
    message,
    code,
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  }
}
