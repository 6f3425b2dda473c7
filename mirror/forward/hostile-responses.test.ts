import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { HttpProxyForwarder } from '../http-proxy/forwarder.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { http2Client } from '../testing/http2-client.ts'
import { mirrorUnderTest, route, send } from '../testing/mirror-under-test.ts'
import { onlyForwarding } from '../testing/only-forwarding.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { raw, rawUpstream } from '../testing/raw-upstream.ts'

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const trailing = {
  'with a length': `${head('HTTP/1.1 200 OK', 'trailer: x-sum', 'content-length: 2')}hi`,
  'without a body': head('HTTP/1.1 204 No Content', 'trailer: x-sum'),
  'in chunks': `${head('HTTP/1.1 200 OK', 'trailer: x-sum', 'transfer-encoding: chunked')}2\r\nhi\r\n0\r\nx-sum: 1\r\n\r\n`,
}

test.each(Object.entries(trailing))('an answer that announces a trailer, %s, passes as it is', async (_, answer) => {
  const upstream = await rawUpstream(() => answer)
  const mirror = await mirrorUnderTest({ primary: upstream.url })
  const { status, headers, body } = await send(`${mirror.url}/x`, { body: '{}' })
  expect([status, body.toString(), headers.trailer]).toEqual(
    answer.includes(' 204 ') ? [204, '', 'x-sum'] : [200, 'hi', 'x-sum'],
  )
  expect((await send(`${mirror.url}/x`, { method: 'HEAD' })).headers.trailer).toBe('x-sum')
  const old = await raw(mirror.url, 'POST /x HTTP/1.0\r\ncontent-length: 2\r\n\r\n{}')
  expect(old).toMatch(/^HTTP\/1.1 20[04]/)
  expect(old).not.toMatch(/trailer|chunked/i)
})

test('so does the answer of a live candidate', async () => {
  const primary = await fakeUpstream(answering('primary'))
  const candidate = await rawUpstream(() => trailing['with a length'])
  const comparator = await fakeComparator()
  comparator.route(2, { v: { livePercent: 100 } })
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: candidate.url }),
  })
  await waitFor('the candidate to be live', async () => (await mirror.admin('/routing')).text.includes('"version":2'))
  expect((await send(`${mirror.url}/p`, { body: '{}' })).body.toString()).toBe('hi')
})

/** Each ends its own client's response in some way, and nothing else. */
const odd = [
  'HTTP/1.1 200 \x01\x02',
  'HTTP/1.1 200 caf\u00e9',
  'HTTP/1.1 099 Low',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade',
  'HTTP/1.1 999 High',
  'HTTP/1.1 1000 Higher',
  'HTTP/1.1 200 OK\r\nx: a\x00b',
  'HTTP/1.1 200 OK\r\nx: a\x7fb',
  'HTTP/1.1 200 OK\r\nx: caf\u00e9\xff',
  'HTTP/1.1 200 OK\r\nx y: z',
  'HTTP/1.1 200 OK\r\n: nameless',
  'HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y',
  'HTTP/1.1 200 OK\r\nx: a\r\n folded',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3',
  'HTTP/1.1 200 OK\r\ncontent-length: -1',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked',
  'HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\ntrailer: x',
  'HTTP/1.1 200 OK\r\nconnection: upgrade\r\nupgrade: h2c\r\nkeep-alive: timeout=x',
  'nonsense',
]

/** The same before a valid answer: what can't be passed on is left out, or ends the exchange. */
const oddInterim = [
  'HTTP/1.1 100 Continue\r\nx: unasked',
  'HTTP/1.1 102 \x01',
  'HTTP/1.1 103 Early Hints\r\nlink: odd',
  'HTTP/1.1 103 Early Hints\r\nlink:',
  'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\nlink: </b>',
  'HTTP/1.1 103 Early Hints\r\nx: a\x00b',
  'HTTP/1.1 103 Early Hints\r\nx: caf\u00e9\xff',
  'HTTP/1.1 103 Early Hints\r\ncontent-length: 2',
  'HTTP/1.1 103 Early Hints\r\ntransfer-encoding: chunked',
  'HTTP/1.1 103 Early Hints\r\nconnection: upgrade\r\nupgrade: h2c\r\nhttp2-settings: x',
  'HTTP/1.1 103 Early Hints\r\n__proto__: x\r\nconstructor: y',
  'HTTP/1.1 199 Last',
]

/** After a body, where only the rest of the answer can still be broken off. */
const oddTrailers = [
  'http2-settings: x',
  'transfer-encoding: chunked',
  'connection: http2-settings',
  'te: gzip',
  'content-length: 3',
  'host: y',
  'trailer: x',
  'x: a\x00b',
  'x: a\x7fb',
  'x: caf\u00e9\xff',
  'x y: z',
  '__proto__: x\r\nconstructor: y',
]

const ways = {
  wire: { forwarder: 'wire', ask: askRaw },
  'http-proxy-3': { forwarder: 'http-proxy-3', ask: askRaw },
  'HTTP/2': { forwarder: 'wire', ask: askByHttp2 },
} as const

describe.each(Object.entries(ways))('through %s', (_, { forwarder, ask }) => {
  test('no head of a response ends more than its own exchange', async () => {
    const upstream = await rawUpstream((request) => {
      const one = odd[Number(/^\w+ \/(\d+)/.exec(request)![1])]!
      return `${one}${one.includes('content-length') ? '' : '\r\ncontent-length: 2'}\r\n\r\nhi`
    })
    const mirror = await mirrorUnderTest({ primary: upstream.url, timeout: '5s', forwarder })
    const statuses = await Promise.all(
      odd.flatMap((_, i) => ['POST', 'HEAD'].map((method) => ask(mirror.url, method, `/${i}`))),
    )
    const at = (line: string) => statuses[2 * odd.findIndex((head) => head.startsWith(line))]
    expect(at('HTTP/1.1 099')).toBe(502)
    expect(at('HTTP/1.1 101')).toBe(502)
    expect(at('HTTP/1.1 200 caf')).toBe(200)
    expect(at('nonsense')).toBe(502)
    // HTTP/2 statuses have three digits and end at 599
    for (const status of statuses) expect([200, 304, 502, 999, undefined]).toContain(status)
  })

  test('nor does a 1xx head', async () => {
    const upstream = await rawUpstream((request) => {
      const index = Number(/^\w+ \/(\d+)/.exec(request)![1])
      return `${oddInterim[index] ?? 'HTTP/1.1 103 Early Hints'}\r\n\r\n${head('HTTP/1.1 200 OK', 'connection: close', 'content-length: 2')}hi`
    })
    const mirror = await mirrorUnderTest({ primary: upstream.url, timeout: '5s', forwarder })
    const statuses = await Promise.all(oddInterim.map((_, i) => ask(mirror.url, 'POST', `/${i}`)))
    const at = (line: string) => statuses[oddInterim.findIndex((one) => one.startsWith(line))]
    for (const line of ['HTTP/1.1 100', 'HTTP/1.1 103 Early Hints\r\nlink: odd', 'HTTP/1.1 199'])
      expect(at(line)).toBe(200)
    for (const status of statuses) expect([200, 502]).toContain(status)
    expect(await ask(mirror.url, 'POST', `/${oddInterim.length}`)).toBe(200)
  })

  test('endless 1xx are not an answer', async () => {
    let upstream: Socket | undefined
    const { url } = await tcpUpstream((socket) => {
      upstream = socket
      const some = head('HTTP/1.1 103 Early Hints', 'link: odd').repeat(1000)
      const send = () => {
        while (socket.writable && socket.write(some));
      }
      socket.on('drain', send).once('data', send)
    })
    const mirror = await mirrorUnderTest({ primary: url, timeout: '10s', forwarder })
    expect(await ask(mirror.url, 'POST', '/')).toBe(502)
    await waitFor('the upstream to be told', () => upstream?.destroyed)
  })

  test('nor does a trailer', async () => {
    const upstream = await rawUpstream((request) => {
      const one = oddTrailers[Number(/^\w+ \/(\d+)/.exec(request)![1])] ?? 'x: y'
      return `${head('HTTP/1.1 200 OK', 'transfer-encoding: chunked')}2\r\nhi\r\n0\r\n${one}\r\n\r\n`
    })
    const mirror = await mirrorUnderTest({ primary: upstream.url, timeout: '5s', forwarder })
    const statuses = await Promise.all(oddTrailers.map((_, i) => ask(mirror.url, 'POST', `/${i}`)))
    for (const status of statuses) expect([200, 502]).toContain(status)
    expect(await ask(mirror.url, 'POST', `/${oddTrailers.length}`)).toBe(200)
  })
})

/** The final status; undefined if there is none. */
async function askRaw(url: string, method: string, path: string): Promise<number | undefined> {
  const answer = await raw(
    url,
    `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
  )
  const statuses = [...answer.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => Number(status))
  return statuses.find((status) => status >= 200)
}

async function askByHttp2(url: string, method: string, path: string): Promise<number | undefined> {
  const stream = (await http2Client(url)).request({ ':method': method, ':path': path }, { endStream: true })
  return new Promise((resolve) => {
    stream.on('response', (headers) => resolve(headers[':status']))
    stream.on('error', () => resolve(undefined)).on('close', () => resolve(undefined))
    stream.resume()
  })
}

test('a response that cannot be written ends only its own connection', async () => {
  const thrown: unknown[] = []
  const stage = await onlyForwarding((_what, step) => {
    try {
      step()
      return true
    } catch (error) {
      thrown.push(error)
      return false
    }
  })
  const forwarder = new HttpProxyForwarder(
    () => stage,
    () => {},
  )
  const front = await fakeUpstream((request, response) => {
    response.writeHead = () => {
      throw new Error('no head')
    }
    forwarder.forward(request, response)
  })
  await expect(send(`${front.url}/x`, { body: '{}' })).rejects.toThrow()
  expect(thrown).toEqual([new Error('no head')])
})

test('a live candidate whose head cannot be passed on is replaced by the primary', async () => {
  const primary = await fakeUpstream(answering('primary'))
  const comparator = await fakeComparator()
  comparator.route(2, { v: { livePercent: 100 } })
  for (const line of ['HTTP/1.1 099 Low', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade']) {
    const candidate = await rawUpstream(() => `${line}\r\n\r\n`, true)
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'v', url: candidate.url }),
    })
    await waitFor('the candidate to be live', async () => (await mirror.admin('/routing')).text.includes('"version":2'))
    expect((await send(`${mirror.url}/p`, { body: '{}' })).body.toString()).toBe('primary')
  }
})

test('60 KiB of headers pass, and thousands of them, both ways and on the shadow leg', async () => {
  const large = 'y'.repeat(60 * 1024)
  const many = Array.from({ length: 5000 }, (_, i) => `h${i}: 1`)
  const answers = { '/p': [`large: ${large}`], '/many': many }
  const upstream = await rawUpstream((request) => {
    const lines = answers[/ (\S+) /.exec(request)![1] as keyof typeof answers]
    const seen = (request.match(/^h\d+: 1/gm) ?? []).length
    return `${head('HTTP/1.1 200 OK', ...lines, `seen: ${seen}`, 'content-length: 2')}{}`
  })
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: upstream.url }),
  })
  const passed = await raw(mirror.url, head('POST /p HTTP/1.1', 'host: x', 'connection: close', 'content-length: 0'))
  expect(passed).toContain(large)
  await waitFor('the observation', () => comparator.observations.size === 1)
  expect([...comparator.observations.values()][0]!.candidate.kind).toBe('answered')
  const counted = await raw(mirror.url, head('GET /many HTTP/1.1', 'host: x', 'connection: close', ...many))
  expect(counted).toContain('seen: 5000')
  expect(counted.match(/^h\d+: 1/gm)!.length).toBe(5000)
})

test('OPTIONS * is passed on unchanged', async () => {
  const primary = await fakeUpstream(answering('{}'))
  for (const suffix of ['', '/prefix']) {
    const mirror = await mirrorUnderTest({ primary: primary.url + suffix })
    for (const length of [0, 2]) {
      const request = head('OPTIONS * HTTP/1.1', 'host: x', 'connection: close', `content-length: ${length}`)
      await raw(mirror.url, request + '{}'.slice(0, length))
    }
  }
  expect(primary.heads.map(({ url }) => url)).toEqual(['*', '*', '*', '*'])
})
