import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The authority that signed the certificates below; nothing else trusts it. */
export const ca = file('./ca.pem')
/** For `localhost`, 127.0.0.1 and ::1. */
export const localhost = { cert: file('./localhost.pem'), key: file('./localhost-key.pem') }
/** For the same names, with another key. */
export const renewed = { cert: file('./renewed.pem'), key: file('./renewed-key.pem') }
/** Of the mirror itself, towards an upstream that asks for one; signed by itself. */
export const client = { cert: file('./client.pem'), key: file('./client-key.pem') }

export const caPem = readFileSync(ca)
export const localhostPem = { cert: readFileSync(localhost.cert), key: readFileSync(localhost.key) }
