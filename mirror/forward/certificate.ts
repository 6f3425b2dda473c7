import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** As PEM: the certificate with those that it is signed by, and its key. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** Throws where a file can't be read or the two do not belong together. */
export function readCertificate(files: { cert: string; key: string }): Certificate {
  const certificate = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  createSecureContext(certificate)
  return certificate
}
