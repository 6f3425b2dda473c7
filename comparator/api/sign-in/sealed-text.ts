import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts a text (AES-256-GCM) so that only the holder of a session's secret can read it, and no reader of the
 * database: nonce, tag and ciphertext.
 */
export function sealText(secret: string, text: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, keyOf(secret), nonce)
  const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed])
}

/** Throws where the secret is another one, or the bytes were altered. */
export function unsealText(secret: string, sealed: Uint8Array): string {
  const [nonce, tag] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes, nonceBytes + tagBytes)]
  const unsealing = createDecipheriv(cipher, keyOf(secret), nonce, { authTagLength: tagBytes }).setAuthTag(tag)
  return Buffer.concat([unsealing.update(sealed.subarray(nonceBytes + tagBytes)), unsealing.final()]).toString()
}

/** Derived, so that it is neither the secret nor what else is made of it. */
const keyOf = (secret: string) => createHmac('sha256', secret).update('understudy-sealed-text').digest()
