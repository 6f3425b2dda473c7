/** System codes such as `ECONNREFUSED` are familiar; for undici's own errors the message says more than the code. */
export function connectionWords({ code, message }: Error & { code?: unknown }): string {
  // a `DOMException` (a timeout, say) has a numeric code
  return typeof code === 'string' && !code.startsWith('UND_ERR') ? code : message
}
