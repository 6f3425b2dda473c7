import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fakeUpstream, readAll } from '../testing/fake-upstream.ts'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'

test('a stop loses no request on a kept connection, and tells each client to leave', async () => {
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    setTimeout(() => response.end('{}'), Number(incoming.headers['x-wait']))
  })
  const mirror = await mirrorUnderTest({ primary: primary.url, drain: '20s' })
  const errors: unknown[] = []
  let served = 0
  const client = async (waitMs: number, thinkMs: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    for (;;) {
      const outgoing = request(`${mirror.url}/x`, { method: 'POST', agent, headers: { 'x-wait': waitMs } })
      outgoing.end('{}')
      try {
        const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
        await readAll(response)
        served++
        if (response.headers.connection === 'close') return
      } catch (error) {
        errors.push(error)
        return
      }
      await new Promise((resolve) => setTimeout(resolve, thinkMs))
    }
  }
  const clients = Array.from({ length: 12 }, (_, i) => client([0, 5, 300][i % 3]!, [0, 3, 40, 400][i % 4]!))
  await waitFor('all clients to be served', () => served > 60)
  const stopped = mirror.stop()
  await Promise.all(clients)
  await stopped
  expect(errors).toEqual([])
})

test('a stop answers clients that are connected but not yet accepted', async () => {
  const primary = await fakeUpstream((_incoming, response) => response.end('{}'))
  const mirror = await mirrorUnderTest({ primary: primary.url, drain: '20s' })
  const clients = Array.from({ length: 20 }, () => connect(Number(new URL(mirror.url).port), '127.0.0.1'))
  for (const client of clients) client.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n')
  await Promise.all(clients.map((client) => once(client, 'connect')))
  const stopped = mirror.stop()
  for (const answer of await Promise.allSettled(clients.map(readAll))) {
    expect(answer).toMatchObject({ status: 'fulfilled' })
    expect(String((answer as PromiseFulfilledResult<Buffer>).value)).toMatch(/^HTTP\/1\.1 200 /)
  }
  await stopped
})

test.each(['wire', 'http-proxy-3'])('over %s an endless head does not hold up a stop', async (forwarder) => {
  const primary = await fakeUpstream((_incoming, response) => response.end('{}'))
  const mirror = await mirrorUnderTest({ forwarder, primary: primary.url, drain: '1h' })
  const client = connect(Number(new URL(mirror.url).port), '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(client, 'data')
  client.write('GET /y HTTP/1.1\r\nHost:')
  const answer = readAll(client)
  await mirror.stop()
  expect((await answer).toString()).toMatch(/^HTTP\/1\.1 408 /)
  expect(mirror.wasCut).toBe(false)
})
