import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { forwarders, head, host } from '../conformance/case.ts'
import { rawClient, received, sendPieces } from '../conformance/raw-client.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { send } from '../testing/mirror-under-test.ts'
import { RefusedRequests } from './refused-requests.ts'

test('refusals are counted by status, and logged once a second', () => {
  let now = 5000
  const { logger, lines } = loggerUnderTest()
  const refused = new RefusedRequests({ now: () => now, monotonic: () => now }, logger)
  for (const status of [400, 400, 431]) refused.add(status, 'as the test says', '10.0.0.1')
  now += 1000
  refused.add(408, 'too slow', undefined)
  expect([400, 408, 431, 505].map((status) => refused.counts.get(status))).toEqual([2, 1, 1, 0])
  expect(lines.map(({ status, leftOut, client }) => [status, leftOut, client])).toEqual([
    [400, 0, '10.0.0.1'],
    [408, 2, undefined],
  ])
})

test.each(forwarders)('requests that %s refuses are in the metrics and in the log', async (forwarder) => {
  const primary = await fakeUpstream(answering('{}'))
  const { mirror, logged } = await loggedMirror({ primary: primary.url, forwarder })
  const client = await rawClient(mirror.url)
  await sendPieces(client, [head('GET /p HTTP/1.1', host, 'no header')])
  await received(client, (bytes) => bytes.includes('\r\n\r\n'))
  expect(client.received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  const { text } = await mirror.admin('/metrics')
  expect(text).toMatch(/^understudy_mirror_refused_total\{status="400"\} 1$/m)
  expect(text).toMatch(/^understudy_mirror_refused_total\{status="431"\} 0$/m)
  expect(logged('a request was refused')).toMatchObject([{ status: 400, client: '127.0.0.1' }])
})

test.each(forwarders)('of clients that leave within their request %s refuses none', async (forwarder) => {
  const primary = await fakeUpstream(answering('{}'))
  const { mirror, logged } = await loggedMirror({ primary: primary.url, forwarder })
  for (const begun of ['GET /p HT', `${head('POST /p HTTP/1.1', host, 'content-length: 9')}half`]) {
    const client = await rawClient(mirror.url)
    await sendPieces(client, [begun])
    client.socket.end()
    await waitFor('its end', () => client.end !== 'open')
  }
  const { text } = await mirror.admin('/metrics')
  expect(text).toMatch(/^understudy_mirror_refused_total\{status="400"\} 0$/m)
  expect(logged('a request was refused')).toEqual([])
})

test.each(forwarders)('responses through %s are counted by class of status', async (forwarder) => {
  const statuses = [200, 404, 503, 500]
  const primary = await fakeUpstream((request, response) => answering('{}', {}, statuses.shift())(request, response))
  const { mirror } = await loggedMirror({ primary: primary.url, forwarder })
  while (statuses.length > 0) await send(`${mirror.url}/p`, { body: '{}' })
  await primary.close()
  await send(`${mirror.url}/p`, { body: '{}' })
  const { text } = await mirror.admin('/metrics')
  const count = (name: string) =>
    Number(
      new RegExp(`^understudy_mirror_responses_total\\{live="primary",class="${name}"\\} (\\d+)$`, 'm').exec(text)![1],
    )
  expect(['1xx', '2xx', '3xx', '4xx', '5xx'].map(count)).toEqual([0, 1, 0, 1, 3])
})
