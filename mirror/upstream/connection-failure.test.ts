import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { failureOf, NotConnected, wordsOf } from './connection-failure.ts'

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function failureToReach(...addresses: string[]): Promise<Error> {
  const found = addresses.map((address) => ({ address, family: 4 }))
  const port = await closedPort()
  const socket = connect({ host: 'models.example', port, lookup: (_name, _options, answer) => answer(null, found) })
  const [error] = await once(socket, 'error')
  return error
}

test('if a name has several addresses, the message says how each failed', async () => {
  const one = await failureToReach('127.0.0.1')
  expect(wordsOf(one)).toMatch(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/)
  const two = await failureToReach('127.0.0.1', '127.0.0.2')
  expect(new NotConnected(two).message).toMatch(
    /^connect ECONNREFUSED 127\.0\.0\.1:\d+, connect ECONNREFUSED 127\.0\.0\.2:\d+$/,
  )
})

test.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'tlsv1 alert unknown ca', true],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'ssl/tls alert bad certificate', true],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'ssl/tls alert handshake failure', false],
])(
  'of a TLS alert %s the message says what the upstream said, and the setting if it is known',
  (code, reason, isOurs) => {
    const error = Object.assign(new Error(`40C3:error:0A000418:SSL routines::${reason}:rec_layer_s3.c:918:`), {
      code,
      reason,
    })
    const advice = '; set tls.cert and tls.key to a certificate that the upstream accepts'
    expect(wordsOf(error)).toBe(`the upstream ended TLS: ${reason}${isOurs ? advice : ''}`)
  },
)

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'set tls.ca to the authority to trust, or to this certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'set tls.ca to the authority to trust'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'set tls.ca to the authority to trust'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'set tls.ca to the authority to trust'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'set tls.serverName to the name it must carry'],
])('of a certificate refused as %s the message says what to set', (code, advice) => {
  const error = Object.assign(new Error('no; if the root CA is installed locally, try running Node.js with x'), {
    code,
  })
  expect([error, new NotConnected(error)].map(wordsOf)).toEqual([`no; ${advice}`, `no; ${advice}`])
})

test('what our own system lacks is not the upstream’s failure, unless one of its addresses was really tried', () => {
  const failure = (code: string) => Object.assign(new Error(`connect ${code}`), { code })
  const all = (...codes: string[]) => new AggregateError(codes.map(failure))
  for (const code of ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM']) {
    expect(failureOf(new NotConnected(failure(code))), code).toBe('shed')
  }
  expect(failureOf(new NotConnected(all('EMFILE', 'EMFILE')))).toBe('shed')
  expect(failureOf(new NotConnected(failure('ECONNREFUSED')))).toBe('refused')
  // a system without IPv6 has no address for the first
  expect(failureOf(new NotConnected(all('EADDRNOTAVAIL', 'ECONNREFUSED')))).toBe('refused')
  expect(failureOf(failure('ECONNRESET'))).toBe('reset')
})
