import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { rawClient, received } from '../conformance/raw-client.ts'
import { answering, fakeUpstream, readAll } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, send } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'

const forwarders = ['wire', 'http-proxy-3'] as const

/** A port on which nobody listens any more. */
async function goneUpstream(): Promise<string> {
  const upstream = await fakeUpstream(answering(''))
  await upstream.close()
  return upstream.url
}

/** Counts the requests it gets, and breaks the connection after each complete one. */
async function breakingUpstream() {
  const state = { requests: 0 }
  const upstream = await fakeUpstream((request) => {
    state.requests++
    request.resume()
    request.on('end', () => request.socket.destroy())
  })
  return Object.assign(state, { url: upstream.url })
}

async function echoUpstream() {
  const bodies: string[] = []
  const upstream = await fakeUpstream(async (request, response) => {
    bodies.push((await readAll(request)).toString())
    response.end('answered')
  })
  return { url: upstream.url, bodies }
}

describe.each(forwarders)('over %s', (forwarder) => {
  test.each(['GET', 'POST'])(
    'a %s that could not be sent goes to another primary, wherever the rotation stands',
    async (method) => {
      const echo = await echoUpstream()
      const urls = [await goneUpstream(), echo.url, await goneUpstream()]
      const mirror = await mirrorUnderTest({ forwarder, primary: { urls, rest: '0s' } })
      const body = method === 'POST' ? 'x'.repeat(200_000) : undefined
      for (let i = 0; i < 6; i++) {
        const answer = await send(`${mirror.url}/x`, { method, ...(body !== undefined && { body }) })
        expect([answer.status, answer.body.toString()]).toEqual([200, 'answered'])
      }
      expect(echo.bodies).toEqual(Array(6).fill(body ?? ''))
    },
  )

  test('if none can be reached the client gets a 502', async () => {
    const mirror = await mirrorUnderTest({
      forwarder,
      primary: { urls: [await goneUpstream(), await goneUpstream()] },
    })
    expect((await send(`${mirror.url}/x`, { body: '{}' })).status).toBe(502)
  })

  test('a POST that was sent and broke is a 502, and is never sent twice', async () => {
    const breaking = [await breakingUpstream(), await breakingUpstream()]
    const mirror = await mirrorUnderTest({ forwarder, primary: { urls: breaking.map(({ url }) => url) } })
    for (let i = 1; i <= 4; i++) {
      expect((await send(`${mirror.url}/x`, { body: '{}' })).status).toBe(502)
      expect(breaking[0]!.requests + breaking[1]!.requests).toBe(i)
    }
  })

  test('a GET that was sent and broke goes to another primary', async () => {
    const breaking = await breakingUpstream()
    const echo = await echoUpstream()
    const mirror = await mirrorUnderTest({ forwarder, primary: { urls: [breaking.url, echo.url] } })
    for (let i = 0; i < 4; i++) expect((await send(`${mirror.url}/x`, { method: 'GET' })).status).toBe(200)
    expect(breaking.requests).toBeGreaterThan(0)
  })

  test('if a kept connection breaks, a GET is sent once more on a fresh one, a POST is not', async () => {
    let connections = 0
    const requests: string[] = []
    // answers the first request of each connection, and closes on the second
    const primary = await tcpUpstream((socket) => {
      connections++
      let answered = false
      socket.on('data', (data) => {
        requests.push(String(data).slice(0, 4).trim())
        if (answered) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
        answered = true
      })
    })
    const mirror = await mirrorUnderTest({ forwarder, primary: primary.url })
    expect((await send(`${mirror.url}/x`, { method: 'GET' })).status).toBe(200)
    expect((await send(`${mirror.url}/x`, { method: 'GET' })).status).toBe(200)
    expect([connections, requests]).toEqual([2, ['GET', 'GET', 'GET']])
    expect((await send(`${mirror.url}/x`, { method: 'POST', headers: { 'content-length': '0' } })).status).toBe(502)
    expect([connections, requests]).toEqual([2, ['GET', 'GET', 'GET', 'POST']])
  })

  test('a GET gets one fresh connection, even if another primary’s kept connection breaks too', async () => {
    const requests: string[] = []
    let isBroken = false
    const primaryNamed = (name: string) =>
      tcpUpstream((socket) => {
        socket.on('data', () => {
          requests.push(name)
          if (isBroken) socket.destroy()
          else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
        })
      })
    const urls = [(await primaryNamed('a')).url, (await primaryNamed('b')).url]
    const mirror = await mirrorUnderTest({ forwarder, primary: { urls } })
    const get = async () => (await send(`${mirror.url}/x`, { method: 'GET' })).status
    expect([await get(), await get(), requests.splice(0)]).toEqual([200, 200, ['a', 'b']])
    isBroken = true
    expect([await get(), requests]).toEqual([502, ['a', 'a', 'b']])
  })

  test('a body too large to be held for another try is not sent twice', async () => {
    let received = 0
    const breaking = await tcpUpstream((socket) => {
      socket.on('data', (data) => {
        received += data.length
        if (received > 2 * 1024 * 1024) socket.resetAndDestroy()
      })
    })
    const echo = await echoUpstream()
    const mirror = await mirrorUnderTest({ forwarder, primary: { urls: [breaking.url, echo.url] } })
    const answer = await send(`${mirror.url}/x`, { method: 'PUT', body: Buffer.alloc(8 * 1024 * 1024) })
    expect(answer.status).toBe(502)
    await waitFor('the upload to be over', () => received > 0)
    expect(echo.bodies).toEqual([])
  })

  test('an upload that waited for a connection which then failed goes on to another primary', async () => {
    const echo = await echoUpstream()
    let held: Socket | undefined
    const neverReady = await tcpUpstream((socket) => {
      held = socket
    })
    const urls = [echo.url, neverReady.url.replace('http:', 'https:')]
    const mirror = await mirrorUnderTest({ forwarder, primary: { urls }, timeout: '5s' })
    // its connection stays and takes what is sent at once
    expect((await send(`${mirror.url}/x`)).status).toBe(200)

    const piece = 'x'.repeat(8_000)
    const outgoing = request(`${mirror.url}/x`, { method: 'POST', headers: { 'content-length': 20 * piece.length } })
    const answered = once(outgoing, 'response')
    outgoing.flushHeaders()
    await waitFor('the other primary to be asked', () => held)
    // one by one, until the mirror takes no more: it does not read on while nobody has taken the rest
    for (let bytes = piece.length; bytes < 72_001; bytes += piece.length) {
      outgoing.write(piece)
      await waitFor('a piece to arrive', () => mirror.heldBytes === bytes)
    }
    held!.destroy()
    for (let i = 9; i < 20; i++) outgoing.write(piece)
    outgoing.end()
    const [response] = (await answered) as [IncomingMessage]
    expect([response.statusCode, String(await readAll(response))]).toEqual([200, 'answered'])
    expect(echo.bodies.at(-1)).toBe(piece.repeat(20))
  })

  test('a primary that could not be reached rests, and others take its turn', async () => {
    const gone = await goneUpstream()
    const echo = await echoUpstream()
    const mirror = await mirrorUnderTest({ forwarder, primary: { urls: [gone, echo.url], rest: '1m' } })
    for (let i = 0; i < 2; i++) expect((await send(`${mirror.url}/x`)).status).toBe(200)
    let connections = 0
    const back = await fakeUpstream(
      (request, response) => {
        connections++
        answering('back')(request, response)
      },
      Number(new URL(gone).port),
    )
    expect(back.url).toBe(gone)
    for (let i = 0; i < 4; i++) expect((await send(`${mirror.url}/x`)).body.toString()).toBe('answered')
    expect(connections).toBe(0)
  })
})

describe('if a primary cannot be reached, a client that has ended its side', () => {
  const halfClosed = 'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}'
  const answerTo = async (url: string) => {
    const client = await rawClient(url)
    client.socket.end(halfClosed)
    await received(client, () => false)
    return client.received
  }

  test('is answered by another primary', async () => {
    const echo = await echoUpstream()
    const mirror = await mirrorUnderTest({ primary: { urls: [await goneUpstream(), echo.url], rest: '0s' } })
    for (let i = 0; i < 2; i++) expect(await answerTo(mirror.url)).toMatch(/^HTTP\/1.1 200 .*answered/s)
    expect(echo.bodies).toEqual(['{}', '{}'])
  })

  test('gets a 502, and is not taken for a client that left', async () => {
    const mirror = await mirrorUnderTest({ primary: await goneUpstream() })
    expect(await answerTo(mirror.url)).toMatch(/^HTTP\/1.1 502 /)
    const { text } = await mirror.admin('/metrics')
    expect(text).toMatch(/^understudy_mirror_request_seconds_count{live="primary",end="refused"} 1$/m)
  })
})
