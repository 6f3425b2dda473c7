import { expect, test } from 'vitest'
import { connectionWords } from './connection-words.ts'

test.each([
  [Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }), 'other side closed'],
  [new DOMException('The operation timed out.', 'TimeoutError'), 'The operation timed out.'],
  [new Error('no code'), 'no code'],
  [
    Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    'DEPTH_ZERO_SELF_SIGNED_CERT; name the PEM file of its authority in NODE_EXTRA_CA_CERTS',
  ],
])('%s is shown as %s', (error, words) => {
  expect(connectionWords(error)).toBe(words)
})
