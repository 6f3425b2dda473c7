/** The system's codes are known, such as `ECONNREFUSED`; those of undici say less than its words. */
export function connectionWords({ code, message }: Error & { code?: unknown }): string {
  // the code of a `DOMException`, such as a timeout's, is a number
  return typeof code === 'string' && !code.startsWith('UND_ERR') ? code : message
}
