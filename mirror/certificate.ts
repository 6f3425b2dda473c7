import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** PEM: the certificate with its chain, and its private key. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** Throws if a file can't be read or the two do not belong together. */
export function readCertificate(files: { cert: string; key: string }): Certificate {
  const certificate = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  createSecureContext(certificate)
  return certificate
}
