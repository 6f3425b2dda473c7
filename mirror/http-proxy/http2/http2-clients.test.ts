import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../../runtime/testing/wait-for.ts'
import { head } from '../../conformance/case.ts'
import { answering, fakeUpstream, hanging, readAll } from '../../testing/fake-upstream.ts'
import { ask, endOf, http2Client } from '../../testing/http2-client.ts'
import { mirrorUnderTest, send } from '../../testing/mirror-under-test.ts'
import { tcpUpstream } from '../../testing/other-upstreams.ts'
import { endHeaders, endStream, frame, frameTypes, headerBlock, rawHttp2 } from '../../testing/raw-http2.ts'
import { localhost } from '../../testing/tls/files.ts'

describe('what HTTP/2 clients must not do', () => {
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

  // Node's server answers user information in it with a stream error
  test('an authority that is a list is refused, and other streams are not', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const session = await http2Client(mirror.url)
    const to = (authority: string) => ask(session, { ':authority': authority, ':path': '/x' })
    const answers = await Promise.all([to('a.example,b.example'), to('models.example')])
    expect(answers.map(({ status }) => status)).toEqual([400, 200])
    expect(primary.heads.map(({ headers }) => headers.host)).toEqual(['models.example'])
    expect((await mirror.admin('/metrics')).text).toMatch(/^understudy_mirror_refused_total\{status="400"\} 1$/m)
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
  ])('%s never reaches the primary as a complete request', async (_what, body) => {
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

  const resetAs = (code: number) => frame(frameTypes.reset, 0, 1, Buffer.from([0, 0, 0, code]))
  const breaks: [string, (socket: Socket) => void][] = [
    ['resets its stream', (socket) => socket.write(resetAs(8))],
    ['resets its stream without an error', (socket) => socket.write(resetAs(0))],
    ['says goodbye and closes', (socket) => socket.end(frame(frameTypes.goAway, 0, 0, Buffer.alloc(8)))],
    ['closes its connection', (socket) => socket.end()],
    ['resets its connection', (socket) => socket.resetAndDestroy()],
  ]
  const whenBroken = ['before an answer', 'after an early answer']
  const brokenBodies = breaks.flatMap(([what, breakOff]) => whenBroken.map((when) => ({ what, when, breakOff })))
  test.each(brokenBodies)(
    'a client that $what within a body, $when, reaches nobody with a whole request',
    async ({ when, breakOff }) => {
      const isEarly = when === 'after an early answer'
      let received = ''
      let isGone = false
      const primary = await tcpUpstream((socket) => {
        socket.on('data', (bytes) => {
          if (isEarly && received === '') socket.write(`${head('HTTP/1.1 200 OK', 'content-length: 2')}ok`)
          received += bytes
        })
        socket.on('close', () => {
          isGone = true
        })
      })
      const mirror = await mirrorUnderTest({
        primary: primary.url,
        routes: [{ path: '/x', candidates: [{ validation: 'v', url: primary.url }] }],
      })
      const socket = await rawHttp2(mirror.url)
      socket.write(frame(frameTypes.headers, endHeaders, 1, headerBlock(request)))
      socket.write(frame(frameTypes.data, 0, 1, Buffer.from('half')))
      await waitFor('the beginning of the body', () => received.includes('half'))
      if (isEarly) {
        const isAnswered = /^understudy_mirror_requests_in_flight 0$/m
        await waitFor('the answer', async () => isAnswered.test((await mirror.admin('/metrics')).text))
      }
      breakOff(socket)
      await waitFor('the end of its connection', () => isGone)
      expect(received).toMatch(/half\r\n$/)
      expect((await mirror.settled('v', 1)).skipped).toEqual({ aborted: 1 })
    },
  )

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
    // it does not read its answers
    socket.pause()
    let isOver = false
    socket.once('close', () => {
      isOver = true
    })
    const atOnce = 64
    for (let at = 0; !isOver && at < 1_000_000; at += atOnce) {
      if (socket.write(Buffer.concat(Array.from({ length: atOnce }, (_, i) => next(at + i))))) continue
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

  test('headers beyond the limit are refused, and streams beyond the limit wait', async () => {
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

test.each(['wire', 'http-proxy-3'])('a client that drips its preface is served, with %s', async (forwarder) => {
  const primary = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({ forwarder, primary: primary.url })
  const socket = connect(Number(new URL(mirror.url).port), '127.0.0.1')
  for (const byte of 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') {
    socket.write(byte)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  socket.write(frame(frameTypes.settings, 0, 0))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer[3]).toBe(frameTypes.settings)
  socket.destroy()
})

test('a client that stops within its preface does not hold up a stop', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({ forwarder: 'http-proxy-3', primary: primary.url, drain: '10s' })
  const stuck = connect(Number(new URL(mirror.url).port), '127.0.0.1')
  stuck.on('error', () => {})
  const closed = once(stuck, 'close')
  await once(stuck, 'connect')
  stuck.write('PRI * HT')
  await mirror.stop()
  await closed
})

test('a client that cancels a request with 100-continue at once ends nothing else', async () => {
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
])('when a client leaves %s its requests end too', async (_how, section) => {
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
