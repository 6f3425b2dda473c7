import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Stream, constants } from 'node:http2'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from '../testing/fake-upstream.ts'
import { answerOf, ask, http2Client } from '../testing/http2-client.ts'
import { mirrorUnderTest, route, send } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { endHeaders, endStream, frame, frameTypes, headerBlock, rawHttp2 } from '../testing/raw-http2.ts'
import { localhost } from '../testing/tls/files.ts'
import { waitFor } from '../testing/wait-for.ts'

const post = { ':method': 'POST', ':path': '/p' }

/** How a stream ended: the code of its reset, or 0. */
async function endOf(stream: ClientHttp2Stream): Promise<number> {
  stream.on('error', () => {})
  stream.resume()
  await new Promise((resolve) => stream.once('close', resolve))
  return stream.rstCode ?? 0
}

describe.each([
  ['over TLS, by ALPN', { tls: localhost }],
  ['with prior knowledge', {}],
  ['with prior knowledge where http-proxy-3 has every request', { forwarder: 'http-proxy-3' }],
])('HTTP/2 %s', (_how, section) => {
  test('a request is forwarded and mirrored like any other', async () => {
    const primary = await fakeUpstream(answering('primary', { connection: 'close', 'x-two': '1' }))
    const candidate = await fakeUpstream(answering('candidate'))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      ...section,
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'v', url: candidate.url }),
    })
    const session = await http2Client(mirror.url)
    const headers = { ...post, ':authority': 'models.example', 'x-request-id': 'r1', cookie: ['a=1', 'b=2'] }
    const answer = await ask(session, headers, '{"a":1}')
    expect([answer.status, answer.body.toString()]).toEqual([200, 'primary'])
    expect(answer.headers).toMatchObject({ 'x-two': '1', 'content-type': 'application/json' })
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(answer.headers).not.toHaveProperty(name)

    const { headers: sent, url } = primary.heads[0]!
    expect(url).toBe('/p')
    expect(sent).toMatchObject({
      host: 'models.example',
      cookie: 'a=1; b=2',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'tls' in section ? 'https' : 'http',
      'x-forwarded-host': 'models.example',
    })
    expect(Object.keys(sent).filter((name) => name.startsWith(':'))).toEqual([])
    await waitFor('the observation', () => comparator.observations.size === 1)
    expect([...comparator.observations.values()][0]).toMatchObject({
      correlationId: 'r1',
      request: { method: 'POST', path: '/p', body: '{"a":1}' },
      primary: { kind: 'answered', status: 200, body: 'primary' },
      candidate: { kind: 'answered', body: 'candidate' },
    })
    expect(candidate.heads[0]!.headers).toMatchObject({ host: 'models.example', 'x-understudy-shadow': '1' })
  })

  test('bodies of every size pass whole, both ways, many at once, on connections that are kept', async () => {
    const primary = await fakeUpstream(async (request, response) => void response.end(await readAll(request)))
    let connections = 0
    primary.server.on('connection', () => connections++)
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    for (const size of [0, 1, 100, 70_000, 3_000_000]) {
      const body = randomBytes(size)
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(session, post, body)))
      for (const answer of answers) expect(answer.body.equals(body)).toBe(true)
    }
    expect(connections).toBeLessThanOrEqual(5)
  })

  test('what has a body ends where it ends: no body is taken for a second request', async () => {
    const bodies: string[] = []
    const primary = await fakeUpstream(async (request, response) => {
      bodies.push(`${request.method} ${await readAll(request)}`)
      response.end('ok')
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST', 'PATCH']) {
      await ask(session, { ':method': method, ':path': '/x' }, smuggled)
      await ask(session, { ':method': method, ':path': '/x' })
    }
    expect(bodies).toEqual(
      ['GET', 'DELETE', 'OPTIONS', 'POST', 'PATCH'].flatMap((method) => [`${method} ${smuggled}`, `${method} `]),
    )
  })

  test('Via says which version the client speaks', async () => {
    const primary = await fakeUpstream((request, response) => void response.end(request.headers.via))
    const mirror = await mirrorUnderTest({ ...section, headers: { via: true }, primary: primary.url })
    const answer = await ask(await http2Client(mirror.url), { ':path': '/x' })
    expect(answer.body.toString()).toBe('2 understudy')
  })

  test('HEAD, 204, 304, 1xx, 100-continue and trailers of both sides pass', async () => {
    let trailers: unknown
    const primary = await fakeUpstream(async (request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(200, { 'content-length': '5' }).end()
      if (request.url !== '/p') return void response.writeHead(Number(request.url!.slice(1))).end()
      response.writeProcessing()
      response.socket!.write(
        'HTTP/1.1 103 Early Hints\r\nlink: odd\r\nconnection: x-hop\r\nx-hop: 1\r\nx-a: 1\r\nx-a: 2\r\n\r\n',
      )
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      const body = await readAll(request)
      trailers = request.trailers
      response.setHeader('trailer', 'x-sum')
      response.write(body)
      response.addTrailers([
        ['x-sum', '42'],
        ['x-sum', '43'],
      ])
      response.end()
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    const headOnly = await ask(session, { ':method': 'HEAD', ':path': '/p' })
    expect([headOnly.status, headOnly.headers['content-length'], headOnly.body.length]).toEqual([200, '5', 0])
    for (const status of [204, 304]) expect((await ask(session, { ':path': `/${status}` })).status).toBe(status)

    const stream = session.request({ ...post, expect: '100-continue' }, { waitForTrailers: true })
    const information: unknown[] = []
    stream.on('headers', (headers) => information.push(Object.fromEntries(Object.entries(headers))))
    await once(stream, 'continue')
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-mine': '1' }))
    stream.end('body')
    const answer = await answerOf(stream)
    expect(answer.body.toString()).toBe('body')
    expect(information.slice(1)).toEqual([
      { ':status': 102 },
      { ':status': 103, link: 'odd', 'x-a': '1, 2' },
      { ':status': 103, link: '</style.css>; rel=preload' },
    ])
    expect([trailers, answer.trailers]).toEqual([{ 'x-mine': '1' }, expect.objectContaining({ 'x-sum': '42, 43' })])
  })

  test('a client that reads slowly slows the primary and none of its other streams', async () => {
    let written = 0
    const primary = await fakeUpstream((request, response) => {
      if (request.url !== '/slow') return answering('fast')(request, response)
      request.resume()
      const more = () => {
        while (!response.destroyed && written < 64 * 1024 * 1024) {
          written += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url, timeout: '200ms' })
    const session = await http2Client(mirror.url)
    const slow = session.request({ ':path': '/slow' })
    await once(slow, 'response')
    slow.pause()
    let before = -1
    await waitFor('the primary to stand still', async () => {
      const stands = written === before
      before = written
      await new Promise((resolve) => setTimeout(resolve, 100))
      return stands
    })
    expect(written).toBeLessThan(32 * 1024 * 1024)
    expect((await ask(session, { ':path': '/fast' })).body.toString()).toBe('fast')
    // longer than the timeout: it is the client that everybody waits for
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await readAll(slow)).length).toBe(64 * 1024 * 1024)
  })

  test('a client that takes its request back takes it from the primary too', async () => {
    let isGone = false
    const primary = await fakeUpstream((request, response) => {
      request.resume()
      response.once('close', () => {
        isGone = true
      })
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    const stream = session.request(post)
    stream.on('error', () => {})
    stream.write('half')
    await waitFor('the request at the primary', () => primary.heads.length === 1)
    stream.close(constants.NGHTTP2_CANCEL)
    await waitFor('the primary to be told', () => isGone)
  })

  test('a response that breaks in its middle is reset, and the connection goes on', async () => {
    const primary = await fakeUpstream((request, response) => {
      if (request.url === '/x') return answering('{}')(request, response)
      request.resume()
      if (request.url === '/length') response.writeHead(200, { 'content-length': '1000' })
      if (request.url === '/untilReset' || request.url === '/untilSilent') response.removeHeader('transfer-encoding')
      const breakOff = () => {
        if (request.url === '/untilReset') request.socket.resetAndDestroy()
        else if (request.url !== '/untilSilent') request.socket.destroy()
      }
      response.write('half', () => setTimeout(breakOff, 20))
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url, timeout: '500ms' })
    const session = await http2Client(mirror.url)
    for (const path of ['/length', '/chunked', '/untilReset', '/untilSilent']) {
      expect(await endOf(session.request({ ':path': path }))).toBe(constants.NGHTTP2_INTERNAL_ERROR)
    }
    expect((await ask(session, { ':path': '/x' })).status).toBe(200)
  })

  test('a dead primary is a 502, a silent one a 504, a head that HTTP/2 does not know a 502', async () => {
    const dead = await fakeUpstream(answering(''))
    await dead.close()
    const odd = await tcpUpstream((socket) => socket.on('data', () => socket.write('HTTP/1.1 999 Odd\r\n\r\n')))
    for (const [url, status, timeout] of [
      [dead.url, 502, '10s'],
      [(await fakeUpstream(hanging)).url, 504, '300ms'],
      [odd.url, 502, '10s'],
    ] as const) {
      const mirror = await mirrorUnderTest({ ...section, primary: url, timeout })
      const answer = await ask(await http2Client(mirror.url), post, '{}')
      expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([
        status,
        status === 504 ? 'UPSTREAM_TIMED_OUT' : 'UPSTREAM_UNREACHABLE',
      ])
    }
  })

  test('a stop tells clients to open no more streams, and what is under way ends well', async () => {
    let finish = () => {}
    const primary = await fakeUpstream((request, response) => {
      request.resume()
      finish = () => response.end('finished')
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url, drain: '10s' })
    const session = await http2Client(mirror.url)
    const told = once(session, 'goaway')
    const answer = ask(session, post, '{}')
    await waitFor('the request at the primary', () => primary.heads.length === 1)
    const stopped = mirror.stop()
    expect((await told)[0]).toBe(constants.NGHTTP2_NO_ERROR)
    finish()
    expect((await answer).body.toString()).toBe('finished')
    await stopped
  })

  test('a client that leaves without a word leaves nothing behind', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    await ask(session, post, '{}')
    const connections = async () =>
      /^understudy_mirror_client_connections (\d+)/m.exec((await mirror.admin('/metrics')).text)![1]
    expect(await connections()).toBe('1')
    session.destroy()
    await waitFor('its connection to be gone', async () => (await connections()) === '0')
  })
})

describe('what no client of HTTP/2 may do', () => {
  const request = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':authority', 'x'],
    [':path', '/x'],
  ] as const

  test.each([
    ['transfer-encoding', [['transfer-encoding', 'chunked']]],
    ['connection', [['connection', 'close']]],
    ['a name in capitals', [['X-Name', '1']]],
    [
      'two lengths',
      [
        ['content-length', '1'],
        ['content-length', '2'],
      ],
    ],
  ] as const)('a header %s does not reach the primary', async (_what, more) => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const socket = await rawHttp2(mirror.url)
    socket.write(frame(frameTypes.headers, endHeaders | endStream, 1, headerBlock([...request, ...more])))
    const session = await http2Client(mirror.url)
    await ask(session, { ':path': '/after' })
    expect(primary.heads.map(({ url }) => url)).toEqual(['/after'])
  })

  test('a line break in a value stays where it is', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const socket = await rawHttp2(mirror.url)
    const block = headerBlock([...request, ['x-name', '1\r\nx-other: 2'], ['x-after', '3']])
    socket.write(frame(frameTypes.headers, endHeaders | endStream, 1, block))
    await waitFor('the request', () => primary.heads.length === 1)
    expect(primary.heads[0]!.headers).toMatchObject({ 'x-after': '3' })
    for (const name of ['x-name', 'x-other']) expect(primary.heads[0]!.headers).not.toHaveProperty(name)
  })

  test.each([
    ['a body longer than its length', 'too long'],
    ['a body shorter than its length', ''],
  ])('%s is no request for the primary', async (_what, body) => {
    const bodies: string[] = []
    const primary = await fakeUpstream(async (incoming, response) => {
      bodies.push(String(await readAll(incoming).catch(() => 'broken')))
      response.end('ok')
    })
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const socket = await rawHttp2(mirror.url)
    const head = headerBlock([...request, ['content-length', '3']])
    socket.write(frame(frameTypes.headers, endHeaders, 1, head))
    socket.write(frame(frameTypes.data, endStream, 1, Buffer.from(body)))
    await waitFor('the request to end', async () => {
      const text = (await mirror.admin('/metrics')).text
      return primary.heads.length === 0 || /end="aborted"/.test(text)
    })
    expect(bodies.filter((one) => one !== 'broken')).toEqual([])
  })

  const floods: [string, (at: number) => Buffer][] = [
    ['pings', () => frame(frameTypes.ping, 0, 0, Buffer.alloc(8))],
    ['settings', () => frame(frameTypes.settings, 0, 0)],
    ['empty data', (at) => (at === 0 ? open(1) : frame(frameTypes.data, 0, 1))],
    ['requests taken back', (at) => Buffer.concat([open(2 * at + 1), frame(frameTypes.reset, 0, 2 * at + 1, cancel)])],
  ]
  const cancel = Buffer.from([0, 0, 0, 8])
  const open = (stream: number) => frame(frameTypes.headers, endHeaders, stream, headerBlock(request))

  test.each(floods)('a flood of %s ends its own connection, and others are served', async (_what, next) => {
    const primary = await fakeUpstream((incoming, response) => {
      if (incoming.url === '/x') hanging(incoming, response)
      else answering('{}')(incoming, response)
    })
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const socket = await rawHttp2(mirror.url)
    // what it is answered it does not take
    socket.pause()
    let isOver = false
    socket.once('close', () => {
      isOver = true
    })
    for (let at = 0; !isOver && at < 1_000_000; at++) {
      if (socket.write(next(at))) continue
      await new Promise((resolve) => {
        socket.once('drain', resolve)
        socket.once('close', resolve)
      })
      if (at > 300_000) socket.resume()
    }
    socket.resume()
    await waitFor('the end of its connection', () => isOver)
    expect((await send(`${mirror.url}/y`)).status).toBe(200)
    // 256 at once, then 32 a second
    expect(primary.heads.length).toBeLessThan(1000)
  })

  test('headers beyond the limit are refused, and streams beyond theirs are left for later', async () => {
    const primary = await fakeUpstream((incoming, response) => {
      incoming.resume()
      setTimeout(() => response.end('ok'), 20)
    })
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const session = await http2Client(mirror.url)
    const large = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`x-${i}`, 'y'.repeat(1000)]))
    expect((await ask(session, { ':path': '/x', ...large })).status).toBe(200)
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, '1']))
    expect((await ask(session, { ':path': '/x', ...many })).status).toBe(200)
    const tooLarge = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, 'y'.repeat(1000)]))
    const other = await http2Client(mirror.url)
    const refused = other.request({ ':path': '/x', ...tooLarge })
    const end = await Promise.race([endOf(refused), once(refused, 'response').then(([headers]) => headers[':status'])])
    expect(end).not.toBe(200)
    expect(session.remoteSettings.maxConcurrentStreams).toBe(128)
    const answers = await Promise.all(Array.from({ length: 300 }, () => ask(session, { ':path': '/x' })))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
  })
})

test('a client that drips its preface is served, one that stops in it does not hold up a stop', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({ forwarder: 'http-proxy-3', primary: primary.url, drain: '10s' })
  const socket = connect(Number(new URL(mirror.url).port), '127.0.0.1')
  for (const byte of 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') {
    socket.write(byte)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  socket.write(frame(frameTypes.settings, 0, 0))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer[3]).toBe(frameTypes.settings)
  const stuck = connect(Number(new URL(mirror.url).port), '127.0.0.1')
  stuck.on('error', () => {})
  const closed = once(stuck, 'close')
  await once(stuck, 'connect')
  stuck.write('PRI * HT')
  await mirror.stop()
  await closed
  socket.destroy()
})

test('a client that takes a request back at once, while it asks for 100-continue, ends nothing else', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({ primary: primary.url })
  const socket = await rawHttp2(mirror.url)
  const asking: [string, string][] = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', '/x'],
    [':authority', 'x'],
    ['expect', '100-continue'],
  ]
  const cancelled = Buffer.from([0, 0, 0, 8])
  for (let stream = 1; stream < 20; stream += 2) {
    const headers = frame(frameTypes.headers, endHeaders, stream, headerBlock(asking))
    socket.write(Buffer.concat([headers, frame(frameTypes.reset, 0, stream, cancelled)]))
  }
  const answer = await ask(await http2Client(mirror.url), { ':path': '/x' })
  expect(answer.status).toBe(200)
  await waitFor('no request to be left', async () =>
    /^understudy_mirror_requests_in_flight 0$/m.test((await mirror.admin('/metrics')).text),
  )
})

test.each([
  ['with prior knowledge', {}],
  ['over TLS', { tls: localhost }],
])('a client that leaves %s takes its requests along', async (_how, section) => {
  const primary = await fakeUpstream(hanging)
  const mirror = await mirrorUnderTest({ ...section, primary: primary.url, timeout: '60s' })
  const session = await http2Client(mirror.url)
  for (const method of ['GET', 'HEAD', 'POST'])
    session.request({ ':method': method, ':path': '/x' }, { endStream: method !== 'POST' }).on('error', () => {})
  const inFlight = (count: number) => async () =>
    new RegExp(`^understudy_mirror_requests_in_flight ${count}$`, 'm').test((await mirror.admin('/metrics')).text)
  await waitFor('all requests', inFlight(3))
  session.destroy()
  await waitFor('no request to be left', inFlight(0))
})
