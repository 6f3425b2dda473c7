import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { mirrorSchema } from '../config.ts'
import { tempDir } from '../testing/mirror-under-test.ts'
import { ca, client, localhost, renewed } from '../testing/tls/files.ts'

const problemsOf = (section: Record<string, unknown>) =>
  decodeSection({ primary: 'http://127.0.0.1:9000', ...section }, 'mirror', mirrorSchema, {}).problems.map(
    ({ path, value, expected }) => [path, value, expected],
  )

test('a certificate with its key, and an authority, are accepted', () => {
  const primary = { urls: ['https://localhost:9000'], tls: { ca, serverName: 'models.example', ...client } }
  expect(problemsOf({ tls: localhost, primary })).toEqual([])
})

test('files that are missing, of the wrong kind, or do not match are each named', () => {
  const nonsense = join(tempDir(), 'nonsense.pem')
  writeFileSync(nonsense, 'nonsense')
  const candidates = [{ validation: 'v', url: 'https://candidate.example', tls: { ca: nonsense } }]
  expect(
    problemsOf({
      tls: { cert: '/nowhere/cert.pem', key: nonsense },
      primary: { urls: ['https://localhost:9000'], tls: { ca: '/nowhere/ca.pem' } },
      routes: [{ path: '/p', candidates }],
    }),
  ).toEqual([
    ['mirror.tls.cert', '/nowhere/cert.pem', 'a PEM file of a certificate, which is there'],
    ['mirror.tls.key', nonsense, 'a PEM file of a private key without a passphrase'],
    ['mirror.primary.tls.ca', '/nowhere/ca.pem', 'a PEM file of the certificates of authorities, which is there'],
    ['mirror.routes[0].candidates[0].tls.ca', nonsense, 'a PEM file of the certificates of authorities'],
  ])
  expect(problemsOf({ tls: { cert: localhost.cert, key: renewed.key } })).toEqual([
    ['mirror.tls.key', renewed.key, `the key of the certificate in ${localhost.cert}`],
  ])
})

test('so are those of the certificate for an upstream, and one of the two that is missing', () => {
  const url = 'https://candidate.example'
  const candidates = [
    { validation: 'v', url, tls: { cert: client.cert, key: renewed.key } },
    { validation: 'w', url, tls: { cert: '/nowhere/cert.pem', key: client.key } },
    { validation: 'x', url, tls: { cert: client.cert } },
  ]
  const primary = { urls: [url], tls: { key: client.key } }
  expect(problemsOf({ primary, routes: [{ path: '/p', candidates }] })).toEqual([
    ['mirror.primary.tls.cert', undefined, 'a file, as key is set'],
    ['mirror.routes[0].candidates[0].tls.key', renewed.key, `the key of the certificate in ${client.cert}`],
    ['mirror.routes[0].candidates[1].tls.cert', '/nowhere/cert.pem', 'a PEM file of a certificate, which is there'],
    ['mirror.routes[0].candidates[2].tls.key', undefined, 'a file, as cert is set'],
  ])
})

test('TLS settings without an https: URL are a problem, and so is an address as a server name', () => {
  expect(problemsOf({ primary: { urls: ['http://127.0.0.1:9000'], tls: { ca, serverName: '10.0.0.1' } } })).toEqual([
    [
      'mirror.primary.tls',
      { ca, serverName: '10.0.0.1', verify: true },
      'an https: URL beside it; there is no TLS to any other',
    ],
    ['mirror.primary.tls.serverName', '10.0.0.1', 'a host name; an address needs none'],
  ])
})
