/** The system's codes are known, such as `ECONNREFUSED`; those of undici say less than its words. */
export function connectionWords({ code, message }: NodeJS.ErrnoException): string {
  return code === undefined || code.startsWith('UND_ERR') ? message : code
}
