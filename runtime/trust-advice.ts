const untrusted: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** What helps if a certificate is not trusted where no setting of ours can name its authority; else undefined. */
export const trustAdvice = (code: unknown): string | undefined =>
  untrusted.has(code) ? 'name the PEM file of its authority in NODE_EXTRA_CA_CERTS' : undefined
