import { trustAdvice } from '../runtime/trust-advice.ts'

/** System codes such as `ECONNREFUSED` are familiar; for undici's own errors the message says more than the code. */
export function connectionWords({ code, message }: Error & { code?: unknown }): string {
  const advice = trustAdvice(code)
  if (advice) return `${code}; ${advice}`
  // a `DOMException` (a timeout, say) has a numeric code
  return typeof code === 'string' && !code.startsWith('UND_ERR') ? code : message
}
