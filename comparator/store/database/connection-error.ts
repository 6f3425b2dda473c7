/** The SQLSTATE of an attempt to write on a replica, or on a server that admits no writing for now. */
export const readOnly = '25006'
/** That, SQLSTATE class 08, 57P (the server stops or starts), and errors of sockets. */
const codes = /^(25006|08|57P|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/
/** Messages of errors without a code, from pg, its pool and PGlite. */
const messages = /Connection terminated|timeout exceeded|is closed|is not queryable/

/** Whether the database could not be reached or went away, so that other queries would fail now too. */
export function isConnectionError(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string }
  return codes.test(code) || messages.test(message)
}
