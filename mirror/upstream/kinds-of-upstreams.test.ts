import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { startMirror } from '../server.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, readAll } from '../testing/fake-upstream.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { mirrorConfig, mirrorUnderTest, route, send, tempDir } from '../testing/mirror-under-test.ts'
import { tcpUpstream, tlsUpstream, unixUpstream } from '../testing/other-upstreams.ts'
import { ca, client, renewed } from '../testing/tls/files.ts'

const forwarders = ['wire', 'http-proxy-3'] as const

/** Answers with the Host, path and body that it got. */
const echoing: Parameters<typeof fakeUpstream>[0] = async (request, response) => {
  response.setHeader('got-host', request.headers.host!)
  response.end(`${request.url} ${(await readAll(request)).toString('hex')}`)
}

describe.each(forwarders)('over %s', (forwarder) => {
  test('a TLS primary answers, is asked for by its server name, and gets the Host as configured', async () => {
    const upstream = await tlsUpstream(echoing)
    const body = randomBytes(100_000)
    const urls = [`https://localhost:${upstream.port}/prefix`]
    for (const host of ['keep', 'rewrite']) {
      const mirror = await mirrorUnderTest({ forwarder, headers: { host }, primary: { urls, tls: { ca } } })
      for (let i = 0; i < 3; i++) {
        const answer = await send(`${mirror.url}/x?y`, { body, headers: { host: 'models.example' } })
        expect(answer.body.toString()).toBe(`/prefix/x?y ${body.toString('hex')}`)
        expect(answer.headers['got-host']).toBe(host === 'keep' ? 'models.example' : `localhost:${upstream.port}`)
      }
    }
    expect([...upstream.names]).toEqual(['localhost'])
  })

  test('so does one by its address, and by another name if the config says so', async () => {
    const upstream = await tlsUpstream(echoing)
    for (const tls of [{ ca }, { ca, serverName: 'localhost' }]) {
      const primary = { urls: [`https://127.0.0.1:${upstream.port}`], tls }
      const mirror = await mirrorUnderTest({ forwarder, primary })
      expect((await send(`${mirror.url}/x`)).status).toBe(200)
    }
    expect([...upstream.names]).toEqual(['false', 'localhost'])
  })

  test.each([
    [
      'that nobody vouches for',
      {},
      /^(?!.*Node).*(unable to verify|self-signed|local issuer).*; set tls\.ca to the authority/,
    ],
    ['of another name', { ca, serverName: 'other.example' }, /other\.example.*; set tls\.serverName to the name/],
  ])('a certificate %s is refused before anything is sent, and said once', async (_what, tls, reason) => {
    let requests = 0
    const upstream = await tlsUpstream((_request, response) => {
      requests++
      response.end()
    })
    const url = `https://localhost:${upstream.port}`
    const { mirror, logged } = await loggedMirror({ forwarder, primary: { urls: [url], tls } })
    for (let i = 0; i < 3; i++) expect((await send(`${mirror.url}/x`, { body: 'once' })).status).toBe(502)
    expect(requests).toBe(0)
    const lines = logged('an upstream cannot be reached')
    expect(lines).toMatchObject([{ upstream: url, reason: expect.stringMatching(reason) }])
    expect((await mirror.admin('/metrics')).text).toMatch(
      /understudy_mirror_request_seconds_count\{.*end="refused".*\} 3/,
    )

    const trusting = await mirrorUnderTest({ forwarder, primary: { urls: [url], tls: { ...tls, verify: false } } })
    expect((await send(`${trusting.url}/x`)).status).toBe(200)
  })

  test('an upstream that asks for a certificate gets the one of its own tls', async () => {
    const asking = { requestCert: true, ca: readFileSync(client.cert) }
    const upstream = await tlsUpstream(answering('let in'), asking)
    const url = `https://localhost:${upstream.port}`
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      forwarder,
      primary: { urls: [url], tls: { ca, ...client }, healthCheck: { path: '/' } },
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'known', url, tls: { ca, ...client } }, { validation: 'unknown', url, tls: { ca } }),
    })
    for (let i = 0; i < 2; i++) expect((await send(`${mirror.url}/p`, { body: '{}' })).body.toString()).toBe('let in')
    await waitFor('the observations', () => comparator.observations.size === 4)
    const kinds = [...comparator.observations.values()].map(({ validation, candidate }) => [validation, candidate.kind])
    expect(new Map(kinds as [string, string][])).toEqual(
      new Map([
        ['known', 'answered'],
        ['unknown', 'reset'],
      ]),
    )
    expect((await mirror.admin('/metrics')).text).toMatch(/^understudy_mirror_upstream_healthy\{.*\} 1$/m)
  })

  test('an upstream that refuses the mirror’s certificate says why in the log, once', async () => {
    const upstream = await tlsUpstream(answering('{}'), { requestCert: true, ca: readFileSync(client.cert) })
    const url = `https://localhost:${upstream.port}`
    const { mirror, logged } = await loggedMirror({ forwarder, primary: { urls: [url], tls: { ca } } })
    for (let i = 0; i < 3; i++) expect((await send(`${mirror.url}/x`, { body: 'once' })).status).toBe(502)
    const reason = expect.stringMatching(/certificate required; set tls\.cert and tls\.key/)
    await waitFor('the access log', () => logged('request').length === 3)
    expect(logged('request')[0]).toMatchObject({ status: 502, end: 'reset', reason })
    expect(logged('an upstream refused a connection after its TLS handshake')).toMatchObject([
      { upstream: url, reason },
    ])
    expect(logged('an upstream cannot be reached')).toEqual([])
  })

  test('a primary that never finishes its handshake is given up after half of the timeout', async () => {
    const silent = await tcpUpstream(() => {})
    const answers = await tlsUpstream(echoing)
    const urls = [`https://localhost:${silent.port}`, `https://localhost:${answers.port}`]
    const mirror = await mirrorUnderTest({ forwarder, timeout: '3s', primary: { urls, tls: { ca } } })
    const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await send(`${mirror.url}/x`)).status))
    expect(statuses).toEqual([200, 200, 200, 200])
  })

  test('a primary on a Unix socket answers, and counts as refused once it is gone', async () => {
    const mirror = await mirrorUnderTest({ forwarder, primary: await unixUpstream(echoing) })
    const body = randomBytes(100_000)
    const answer = await send(`${mirror.url}/x?y`, { body, headers: { host: 'models.example' } })
    expect(answer.body.toString()).toBe(`/x?y ${body.toString('hex')}`)
    expect(answer.headers['got-host']).toBe('models.example')
    const gone = await mirrorUnderTest({ forwarder, primary: 'unix:/nowhere/app.sock' })
    expect((await send(`${gone.url}/x`)).status).toBe(502)
  })

  test('candidates over TLS and on Unix sockets are compared, and answer live', async () => {
    const primary = await fakeUpstream(answering('primary'))
    const overTls = await tlsUpstream(answering('candidate'))
    const onSocket = await unixUpstream(answering('candidate'))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      forwarder,
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route(
        { validation: 'tls', url: `https://localhost:${overTls.port}`, tls: { ca } },
        { validation: 'socket', url: onSocket },
        { validation: 'untrusted', url: `https://localhost:${overTls.port}` },
      ),
    })
    await send(`${mirror.url}/p`, { body: '{}' })
    await waitFor('the observations', () => comparator.observations.size === 3)
    const kinds = [...comparator.observations.values()].map(({ validation, candidate }) => [validation, candidate.kind])
    expect(Object.fromEntries(kinds)).toEqual({ tls: 'answered', socket: 'answered', untrusted: 'refused' })
    const bodies = [...comparator.observations.values()].flatMap(({ candidate }) =>
      candidate.kind === 'answered' ? [candidate.body] : [],
    )
    expect(bodies).toEqual(['candidate', 'candidate'])
    for (const [version, validation] of [
      [2, 'tls'],
      [3, 'socket'],
    ] as const) {
      comparator.route(version, { [validation]: { livePercent: 100 } })
      await waitFor('it to be live', async () => (await mirror.admin('/routing')).text.includes(`"version":${version}`))
      expect((await send(`${mirror.url}/p`, { body: '{}' })).body.toString()).toBe('candidate')
    }
  })

  test('copies for a primary on a Unix socket arrive there: reverse shadows and the noise floor', async () => {
    let requests = 0
    const primary = await unixUpstream((incoming, response) => {
      requests++
      answering('primary')(incoming, response)
    })
    const candidate = await fakeUpstream(answering('candidate'))
    const comparator = await fakeComparator()
    comparator.route(2, { v: { livePercent: 100, reverseShadow: true } })
    const mirror = await mirrorUnderTest({
      forwarder,
      primary,
      comparator: { url: comparator.url, token: 't' },
      routes: [
        {
          path: '/p',
          candidates: [{ validation: 'v', url: candidate.url }],
          noiseFloor: { validation: 'n', share: 1 },
        },
      ],
    })
    await waitFor('the candidate to be live', async () => (await mirror.admin('/routing')).text.includes('"version":2'))
    expect((await send(`${mirror.url}/p`, { body: '{}' })).body.toString()).toBe('candidate')
    await waitFor('the observations', () => comparator.observations.size === 2)
    expect([...comparator.observations.values()].map(({ primary }) => primary.kind)).toEqual(['answered', 'answered'])
    expect(requests).toBe(2)
  })
})

test('a reload reads the certificate for an upstream from its files again', async () => {
  const shown: Parameters<typeof tlsUpstream>[0] = ({ socket }, response) =>
    response.end((socket as TLSSocket).getPeerX509Certificate()?.toString())
  const upstream = await tlsUpstream(shown, { requestCert: true, rejectUnauthorized: false })
  const dir = tempDir()
  const own = { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') }
  const install = (files: typeof own) => {
    copyFileSync(files.cert, own.cert)
    copyFileSync(files.key, own.key)
  }
  const primary = { urls: [`https://localhost:${upstream.port}`], tls: { ca, ...own } }
  install(client)
  const config = mirrorConfig({ primary, spool: { dir } })
  const mirror = await startMirror({ config, logger: createLogger('mirror', 'silent') })
  onTestFinished(() => mirror.stop())
  for (const files of [client, renewed]) {
    install(files)
    await (await mirror.prepare(config)).apply()
    expect((await send(`${mirror.url}/x`)).body.toString()).toBe(readFileSync(files.cert, 'utf8'))
  }
})

test('a WebSocket reaches a TLS primary, by its own name or with a certificate, and one on a Unix socket', async () => {
  const upgrading: Parameters<typeof tlsUpstream>[0] = (_request, response) => response.end()
  const overTls = await tlsUpstream(upgrading)
  const asking = await tlsUpstream(upgrading, { requestCert: true, ca: readFileSync(client.cert) })
  const primaries = [
    { urls: [`https://localhost:${overTls.port}`], tls: { ca } },
    { urls: [`https://127.0.0.1:${overTls.port}`], tls: { verify: false } },
    { urls: [`https://localhost:${asking.port}`], tls: { ca, ...client } },
    await unixUpstream(upgrading),
  ]
  for (const primary of primaries) {
    const mirror = await mirrorUnderTest({ primary })
    const socket = connect(Number(new URL(mirror.url).port), '127.0.0.1')
    socket.write('GET /ws HTTP/1.1\r\nhost: models.example\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')
    // these do not upgrade: their answer shows that the request arrived
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200/)
    socket.destroy()
  }
})
