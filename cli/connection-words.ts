const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** System codes such as `ECONNREFUSED` are familiar; for undici's own errors the message says more than the code. */
export function connectionWords({ code, message }: Error & { code?: unknown }): string {
  if (untrusted.has(code as string)) return `${code}; name the PEM file of its authority in NODE_EXTRA_CA_CERTS`
  // a `DOMException` (a timeout, say) has a numeric code
  return typeof code === 'string' && !code.startsWith('UND_ERR') ? code : message
}
