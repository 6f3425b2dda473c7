import { type Logger, pino } from 'pino'

export type { Logger }

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** Lines for a standard error that nobody reads wait in memory; beyond this they are dropped. */
const waitingMax = 16 * 1024 * 1024

/** JSON lines on standard error, so that standard output stays a command's own. Level from `LOG_LEVEL`. */
export function createLogger(service: string, level?: LogLevel): Logger {
  return pino(
    {
      name: service,
      level: level ?? process.env.LOG_LEVEL ?? 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie', '*.token'],
    },
    pino.destination({ dest: 2, sync: false, maxLength: waitingMax }),
  )
}

/** What helps to find a fault. Database drivers hang a statement's parameters on their errors: users' data stays out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
