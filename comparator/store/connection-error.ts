/** PostgreSQL's class 08 and what it says as it stops or starts (57P), and what sockets say. */
const codes = /^(08|57P|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/
/** Of errors without a code: pg's, its pool's and PGlite's own. */
const messages = /Connection terminated|timeout exceeded|is closed|is not queryable/

/** Whether the database could not be reached or went away, so that nothing else that is asked of it now fares better. */
export function isConnectionError(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string }
  return codes.test(code) || messages.test(message)
}
