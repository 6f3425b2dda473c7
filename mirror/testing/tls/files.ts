import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Signed the certificates below, and is known to nobody else. */
export const ca = file('./ca.pem')
/** Of `localhost`, 127.0.0.1 and ::1. */
export const localhost = { cert: file('./localhost.pem'), key: file('./localhost-key.pem') }
/** The same names, another key. */
export const renewed = { cert: file('./renewed.pem'), key: file('./renewed-key.pem') }

export const caPem = readFileSync(ca)
export const localhostPem = { cert: readFileSync(localhost.cert), key: readFileSync(localhost.key) }
