import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { head, host, ok } from '../conformance/case.ts'
import { rawClient, received, sendPieces } from '../conformance/raw-client.ts'
import { early, rawPrimary, reply } from '../conformance/raw-primary.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, route, send } from '../testing/mirror-under-test.ts'
import { raw } from '../testing/raw-upstream.ts'

describe('the live leg streams', () => {
  test('the first byte of a request reaches the primary before the last is sent', async () => {
    let first: string | undefined
    const primary = await fakeUpstream((incoming, response) => {
      incoming.once('data', (chunk) => {
        first = String(chunk)
      })
      incoming.on('end', () => response.end('done'))
    })
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      routes: route({ validation: 'v', url: primary.url }),
    })
    const outgoing = request(`${mirror.url}/p`, { method: 'POST' })
    outgoing.write('first')
    await waitFor('the first byte at the primary', () => first === 'first')
    outgoing.end('last')
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect((await readAll(response)).toString()).toBe('done')
  })

  test('events pass one by one', async () => {
    let push: (text: string) => void = () => {}
    const primary = await fakeUpstream((incoming, response) => {
      incoming.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      push = (text) => (text === '' ? response.end() : response.write(text))
    })
    const candidate = await fakeUpstream(hanging)
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      routes: route({ validation: 'v', url: candidate.url }),
    })
    const outgoing = request(`${mirror.url}/p`, { method: 'POST' })
    outgoing.end('{}')
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      push(event)
      expect(String((await once(response, 'data'))[0])).toBe(event)
    }
    push('')
    response.resume()
    await once(response, 'end')
  })

  test('a body far larger than the capture passes whole, both ways, to a slow reader', async () => {
    const big = randomBytes(8 * 1024 * 1024)
    const primary = await fakeUpstream(async (incoming, response) => {
      response.end(await readAll(incoming))
    })
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      routes: route({ validation: 'v', url: primary.url }),
      capture: { bodyMax: '64KiB' },
    })
    const response = await send(`${mirror.url}/p`, { body: big })
    expect(response.body.equals(big)).toBe(true)
    expect((await mirror.settled('v', 1)).skipped).toEqual({ tooLarge: 1 })
    expect(mirror.heldBytes).toBe(0)
  })

  test('a client that reads slowly slows the primary and does not fill memory', async () => {
    let written = 0
    const total = 64 * 1024 * 1024
    const primary = await fakeUpstream((incoming, response) => {
      incoming.resume()
      const chunk = Buffer.alloc(64 * 1024)
      const more = () => {
        while (written < total) {
          written += chunk.length
          if (!response.write(chunk)) {
            response.once('drain', more)
            return
          }
        }
        response.end()
      }
      more()
    })
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      routes: route({ validation: 'v', url: primary.url }),
    })
    const outgoing = request(`${mirror.url}/p`, { method: 'POST' })
    outgoing.end('{}')
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    response.pause()
    let before = -1
    await waitFor('the primary to stand still', async () => {
      const stands = written === before && written > 0
      before = written
      await new Promise((resolve) => setTimeout(resolve, 100))
      return stands
    })
    expect(written).toBeLessThan(total / 2)
    response.destroy()
  })
})

describe('when the primary fails', () => {
  test('a dead primary is a 502 that says so, and the client’s connection is kept', async () => {
    const primary = await fakeUpstream(answering(''))
    await primary.close()
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    for (let i = 0; i < 2; i++) {
      const outgoing = request(`${mirror.url}/p`, { method: 'POST', agent })
      outgoing.end(randomBytes(500_000))
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      expect(response.statusCode).toBe(502)
      expect(JSON.parse((await readAll(response)).toString())).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' })
      expect(outgoing.reusedSocket).toBe(i > 0)
    }
  })

  test('a silent primary is a 504, also on a connection that was used before', async () => {
    let isSilent = false
    const primary = await fakeUpstream((incoming, response) => {
      if (isSilent) hanging(incoming, response)
      else answering('{}', { 'keep-alive': 'timeout=2' })(incoming, response)
    })
    const mirror = await mirrorUnderTest({ primary: primary.url, timeout: '1s' })
    expect((await send(`${mirror.url}/x`, { body: '{}' })).status).toBe(200)
    isSilent = true
    const response = await send(`${mirror.url}/x`, { body: '{}' })
    expect(response.status).toBe(504)
    expect(JSON.parse(response.body.toString())).toMatchObject({ code: 'UPSTREAM_TIMED_OUT' })
  })

  test('a silent primary is a 504 and is told, also on connections that saw an early answer', async () => {
    const primary = await rawPrimary([early(ok('enough')), reply()])
    const mirror = await mirrorUnderTest({ primary: primary.url, timeout: '1s' })
    const client = await rawClient(mirror.url)
    await sendPieces(client, [`${head('POST /x HTTP/1.1', host, 'content-length: 10')}half `])
    await received(client, (bytes) => bytes.endsWith('enough'))
    await sendPieces(client, [`a bod${head('GET /x HTTP/1.1', host)}`])
    await received(client, (bytes) => bytes.endsWith('}'))
    expect(client.received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 504'])
    expect([primary.requests.length, primary.connections.length]).toEqual([2, 1])
    await waitFor('the primary to be told', () => primary.connections[0]!.end !== 'open')
  })

  test('a primary that does not read a long request is a 504 too', async () => {
    const primary = await fakeUpstream(() => {})
    const mirror = await mirrorUnderTest({ primary: primary.url, timeout: '300ms' })
    expect((await send(`${mirror.url}/x`, { body: randomBytes(16 * 1024 * 1024) })).status).toBe(504)
  })

  test('a client that reads more slowly than the timeout is not taken for a silent primary', async () => {
    const big = randomBytes(16 * 1024 * 1024)
    const primary = await fakeUpstream(answering(big))
    const mirror = await mirrorUnderTest({ primary: primary.url, timeout: '500ms' })
    const outgoing = request(`${mirror.url}/x`, { method: 'POST' })
    outgoing.end('{}')
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    response.pause()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((await readAll(response)).equals(big)).toBe(true)
  })

  test('a client that uploads more slowly than the timeout is not taken for a silent primary', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ primary: primary.url, timeout: '500ms' })
    const outgoing = request(`${mirror.url}/x`, { method: 'POST' })
    outgoing.write('a')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    outgoing.end('b')
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    response.resume()
  })

  test('a response that breaks midway breaks for the client, and is observed as reset', async () => {
    const primary = await fakeUpstream((incoming, response) => {
      incoming.resume()
      response.writeHead(200, { 'content-length': '1000' })
      response.write('half', () => setTimeout(() => incoming.socket.destroy(), 20))
    })
    const candidate = await fakeUpstream(answering('{}'))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'v', url: candidate.url }),
    })
    await expect(send(`${mirror.url}/p`, { body: '{}' })).rejects.toThrow()
    await waitFor('the observation', () => comparator.observations.size === 1)
    expect([...comparator.observations.values()][0]).toMatchObject({
      primary: { kind: 'reset' },
      candidate: { kind: 'answered' },
    })
  })

  test('an answer before the whole request has arrived reaches the client', async () => {
    const primary = await fakeUpstream((incoming, response) => {
      response.writeHead(413, { connection: 'close' })
      response.end('too much', () => setTimeout(() => incoming.socket.destroy(), 50))
    })
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const outgoing = request(`${mirror.url}/x`, { method: 'POST' })
    outgoing.on('error', () => {})
    outgoing.write(randomBytes(1000))
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(413)
    expect((await readAll(response)).toString()).toBe('too much')
    outgoing.end()
  })
})

describe('requests pass as they are', () => {
  test('a DELETE with a chunked body stays one request', async () => {
    const bodies: string[] = []
    const primary = await fakeUpstream(async (incoming, response) => {
      bodies.push(`${incoming.method} ${incoming.url} ${await readAll(incoming)}`)
      response.end('ok')
    })
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
    await raw(
      mirror.url,
      `DELETE /x HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    )
    expect(bodies).toEqual([`DELETE /x ${smuggled}`])
  })

  test('paths, queries and repeated headers are not normalised; hop-by-hop headers are removed', async () => {
    const primary = await fakeUpstream(answering('{}', { 'keep-alive': 'timeout=9', 'x-answer': 'yes' }))
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const answer = await raw(
      mirror.url,
      'GET //a/../b%2Fc?x=1&x=%20?&y HTTP/1.1\r\nhost: models.example\r\nconnection: close, x-hop\r\nx-hop: 1\r\nte: trailers\r\nx-two: 1\r\nx-two: 2\r\n\r\n',
    )
    const [head] = primary.heads
    expect(head!.url).toBe('//a/../b%2Fc?x=1&x=%20?&y')
    expect(head!.headers).toMatchObject({ host: 'models.example', 'x-two': '1, 2', te: 'trailers', connection: 'TE' })
    expect(head!.headers).not.toHaveProperty('x-hop')
    expect(answer).toMatch(/x-answer: yes/)
    expect(answer).toMatch(/connection: close/i)
    expect(answer).not.toMatch(/keep-alive/i)
  })

  test('100-continue and an unknown upgrade are answered as if there were no mirror', async () => {
    const primary = await fakeUpstream(async (incoming, response) => {
      response.end(`got ${await readAll(incoming)}`)
    })
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const answer = await raw(
      mirror.url,
      'POST /x HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\ncontent-length: 2\r\n\r\nhi',
      (text) => text.includes('got hi'),
    )
    expect(answer).toMatch(/100 Continue/)
    expect(answer).toMatch(/HTTP\/1.1 200 OK/)
  })

  test('what is not HTTP is a 400, endless headers are a 431, and the mirror goes on', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ primary: primary.url })
    expect(await raw(mirror.url, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400/)
    expect(await raw(mirror.url, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431/,
    )
    expect((await send(`${mirror.url}/x`, { headers: { big: 'y'.repeat(10_000) } })).status).toBe(200)
  })

  test('a WebSocket goes through to the primary', async () => {
    const primary = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')
        socket.on('data', (chunk) => socket.write(`echo ${chunk}`))
      })
    })
    primary.listen(0, '127.0.0.1')
    await once(primary, 'listening')
    onTestFinished(() => {
      primary.close()
    })
    const { port } = primary.address() as { port: number }
    const mirror = await mirrorUnderTest({ primary: `http://127.0.0.1:${port}` })
    const socket = connect(Number(new URL(mirror.url).port), '127.0.0.1')
    socket.write('GET /ws HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 101/)
    socket.write('hello')
    expect(String((await once(socket, 'data'))[0])).toBe('echo hello')
    socket.destroy()
  })
})

describe.each(['wire', 'http-proxy-3'])('when the client leaves %s', (forwarder) => {
  test('before its request was complete, the exchange is skipped as aborted and the primary is told', async () => {
    let wasAborted = false
    const primary = await fakeUpstream((incoming) => {
      incoming.resume()
      incoming.on('error', () => {
        wasAborted = true
      })
    })
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      forwarder,
      routes: route({ validation: 'v', url: primary.url }),
    })
    const outgoing = request(`${mirror.url}/p`, { method: 'POST' })
    outgoing.on('error', () => {})
    outgoing.write('half')
    await waitFor('the request at the primary', () => primary.heads.length === 1)
    outgoing.destroy()
    expect((await mirror.settled('v', 1)).skipped).toEqual({ aborted: 1 })
    await waitFor('the abort at the primary', () => wasAborted)
    expect(mirror.heldBytes).toBe(0)
  })

  test('after its answer, but before its request was complete, the exchange ends as aborted too', async () => {
    const primary = await fakeUpstream((incoming, response) => {
      incoming.resume()
      response.end('enough')
    })
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      forwarder,
      routes: route({ validation: 'v', url: primary.url }),
    })
    const socket = connect(Number(new URL(mirror.url).port), '127.0.0.1')
    socket.write('POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf')
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 OK/)
    socket.destroy()
    expect((await mirror.settled('v', 1)).skipped).toEqual({ aborted: 1 })
    expect(mirror.heldBytes).toBe(0)
  })

  /** A mirror in front of this primary and a candidate that answers, and what is observed of both. */
  async function observed(answer: Parameters<typeof fakeUpstream>[0]) {
    const [primary, candidate] = [await fakeUpstream(answer), await fakeUpstream(answering('{}'))]
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      forwarder,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'v', url: candidate.url }),
    })
    const observation = async () => {
      await waitFor('the observation', () => comparator.observations.size === 1)
      return [...comparator.observations.values()][0]
    }
    return { mirror, candidate, observation }
  }

  test('while it waits, the exchange is still observed', async () => {
    const { mirror, candidate, observation } = await observed(hanging)
    const outgoing = request(`${mirror.url}/p`, { method: 'POST' })
    outgoing.on('error', () => {})
    outgoing.end('{}')
    await waitFor('the shadow request', () => candidate.heads.length === 1)
    outgoing.destroy()
    expect(await observation()).toMatchObject({ primary: { kind: 'aborted' }, candidate: { kind: 'answered' } })
  })

  test('within its answer, a primary that then closes has not failed', async () => {
    const { mirror, observation } = await observed((incoming, response) => {
      incoming.resume()
      response.write('one of many events')
    })
    const socket = connect(Number(new URL(mirror.url).port), '127.0.0.1')
    socket.write('POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
    await once(socket, 'data')
    socket.end()
    expect(await observation()).toMatchObject({ primary: { kind: 'aborted' }, candidate: { kind: 'answered' } })
  })
})
