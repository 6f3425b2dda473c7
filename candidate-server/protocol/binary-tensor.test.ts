import { expect, test } from 'vitest'
import { tensorOfBytes } from './binary-tensor.ts'

test.each([
  ['string', [255, 255, 255, 255, 65], 'x: expected 2 texts, each after its length in 4 bytes, in 5 bytes'],
  ['string', [1, 0, 0, 0, 65], 'expected 2 texts'],
  ['string', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 'expected 2 texts'],
  ['string', [1, 0, 0, 0, 0xff, 0, 0, 0, 0], 'expected UTF-8 without NUL'],
  ['string', [1, 0, 0, 0, 0, 0, 0, 0, 0], 'expected UTF-8 without NUL'],
  ['bool', [2, 1], 'expected bytes of 0 or 1, got 2 at element 0'],
] as const)('%s of %j is refused', (type, bytes, message) => {
  expect(() => tensorOfBytes('x', type, [1, 2], Uint8Array.from(bytes))).toThrow(message)
})
