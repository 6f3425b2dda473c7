import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { EpochMs } from '../vocabulary/units.ts'

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

/** When it ends; the chain is not looked at. */
export const endOf = ({ cert }: Certificate): EpochMs => new X509Certificate(cert).validToDate.getTime()
