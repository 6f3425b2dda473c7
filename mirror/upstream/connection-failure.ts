/** The connection could not be made, so nothing was sent. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super(messageOf(cause), { cause })
    this.name = 'NotConnected'
  }
}

/** Not the upstream's fault but ours: a bug, or no memory left. Ends this connection only. */
export class OwnFault extends Error {
  constructor(cause: unknown) {
    super('an answer could not be read', { cause })
    this.name = 'OwnFault'
  }
}

/** This system had no file descriptor, port or memory left for a connection. */
const exhausted: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

/**
 * For each error code of a refused certificate, the setting that helps. Node's own advice is for whoever starts Node.
 */
const adviceOn: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'set tls.ca to the authority to trust, or to this certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'set tls.ca to the authority to trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'set tls.ca to the authority to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'set tls.ca to the authority to trust',
  ERR_TLS_CERT_ALTNAME_INVALID: 'set tls.serverName to the name it must carry',
}
const ownCertificateAdvice = 'set tls.cert and tls.key to a certificate that the upstream accepts'

/** What failed, for a log, and the setting of an upstream that helps if there is one. */
export function wordsOf(error: Error): string {
  const { code = '' } = (error instanceof NotConnected ? error.cause : error) as NodeJS.ErrnoException
  const advice = /_ALERT_(.*_)?(CERTIFICATE|UNKNOWN_CA)/.test(code) ? ownCertificateAdvice : adviceOn[code]
  return advice ? `${messageOf(error)}; ${advice}` : messageOf(error)
}

function messageOf(error: Error): string {
  // if a name has several addresses, Node's error has no message of its own: each address failed in its own way
  if (error instanceof AggregateError) return error.errors.map(({ message }: Error) => message).join(', ')
  // OpenSSL's own message begins with a thread's number and ends with a line of its source
  if (isAlert(error)) return `the upstream ended TLS: ${(error as { reason?: string }).reason}`
  return error.message.replace(/; if the root CA .*/, '')
}

/** Whether it is the reason that an upstream gave for ending TLS. */
export const isAlert = ({ code }: NodeJS.ErrnoException): boolean => /^ERR_SSL_.*_ALERT_/.test(code ?? '')

/**
 * `reset` covers every failure of an established connection: closed early, or not HTTP. `shed` says nothing about the
 * upstream.
 */
export function failureOf(error: Error): 'refused' | 'reset' | 'shed' {
  if (!(error instanceof NotConnected)) return 'reset'
  const { cause } = error
  // where one of several addresses was really tried, that one counts
  const failures: NodeJS.ErrnoException[] = cause instanceof AggregateError ? cause.errors : [cause]
  return failures.every(({ code }) => exhausted.has(code)) ? 'shed' : 'refused'
}
