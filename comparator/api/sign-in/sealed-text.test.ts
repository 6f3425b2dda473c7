import { expect, test } from 'vitest'
import { sealText, unsealText } from './sealed-text.ts'

const secret = 's'.repeat(43)

test('only the secret that sealed a text unseals it, and only unaltered', () => {
  const sealed = sealText(secret, 'eyJ… ünïcode')
  expect(unsealText(secret, sealed)).toBe('eyJ… ünïcode')
  expect(() => unsealText('t'.repeat(43), sealed)).toThrow()
  for (const at of [0, 12, 28, sealed.length - 1]) {
    const altered = Buffer.from(sealed)
    altered[at]! ^= 1
    expect(() => unsealText(secret, altered)).toThrow()
  }
  expect(() => unsealText(secret, sealed.subarray(0, 20))).toThrow()
})

test('the same text never looks the same', () => {
  const [one, other] = [sealText(secret, 'text'), sealText(secret, 'text')]
  expect(one.equals(other)).toBe(false)
  expect(one.includes('text')).toBe(false)
})
