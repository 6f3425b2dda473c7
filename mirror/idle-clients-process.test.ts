import type { ServerResponse } from 'node:http'
import type { ClientHttp2Session } from 'node:http2'
import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { forwarders, head, host } from './conformance/case.ts'
import { type RawClient, rawClient, received } from './conformance/raw-client.ts'
import { fakeUpstream } from './testing/fake-upstream.ts'
import { ask, http2Client } from './testing/http2-client.ts'
import { spawnMirror } from './testing/mirror-process.ts'

const descriptors = 120
const clients = 200
/** More than a sixteenth of the descriptors. */
const awake = 16
/** After so many clients one gets its answer that has waited for it. It and all that follow it find room. */
const answeredLate = 125
const closedTotal = /^understudy_mirror_idle_clients_closed_total (\d+)$/m

const lineOfClosing =
  'file descriptors run short: the clients that are idle the longest are closed; raise the limit of open files or lower idleTimeout'

async function limitedMirror(forwarder: string) {
  const together: ServerResponse[] = []
  const hanging: ServerResponse[] = []
  const primary = await fakeUpstream((request, response) => {
    request.resume()
    if (request.url === '/together') {
      if (together.push(response) === awake) for (const each of together) each.end('{}')
    } else if (request.url === '/hang') hanging.push(response)
    else response.end('{}')
  })
  const running = await spawnMirror({ forwarder, primary: primary.url }, descriptors)
  const closed = async () => Number(closedTotal.exec((await running.mirror.admin('/metrics')).text)![1])
  return { ...running, hanging, closed }
}

async function asks(client: RawClient, path: string, fields: readonly string[] = []): Promise<boolean> {
  const before = client.received.length
  client.socket.write(head(`GET ${path} HTTP/1.1`, host, ...fields))
  await received(client, (bytes) => bytes.length > before && bytes.includes('{}', before), 5000)
  return client.received.includes('HTTP/1.1 200', before)
}

test.each(forwarders)(
  'over %s, idle clients do not use up the file descriptors: they are closed before a new one is refused',
  async (forwarder) => {
    const { mirror, hanging, closed, logged } = await limitedMirror(forwarder)
    const waiting = await rawClient(mirror.url)
    waiting.socket.write(head('GET /hang HTTP/1.1', host))
    await waitFor('the request', () => hanging.length === 1)
    const [active, idle] = [await rawClient(mirror.url), [] as RawClient[]]
    for (let i = 0; i < clients; i++) {
      if (i === answeredLate) {
        hanging[0]!.end('{}')
        await received(waiting, (bytes) => bytes.includes('{}'))
        // only now, however long ago it asked
        idle.push(waiting)
      }
      const client = await rawClient(mirror.url)
      expect(await asks(client, '/x'), `client ${i}`).toBe(true)
      idle.push(client)
      if (forwarder === 'wire') expect(await asks(active, '/x'), `after client ${i}`).toBe(true)
    }
    expect(idle.at(-1)!.end).toBe('open')
    const endedOf = (some: RawClient[]) => some.filter(({ end }) => end !== 'open')
    const count = await closed()
    await waitFor('them to hear of it', () => endedOf([active, ...idle]).length === count)
    const ended = endedOf(idle)
    expect(ended.length).toBeGreaterThan(clients - descriptors)
    // the longest idle first; sockets are not compared, whose differences would fill pages
    if (forwarder === 'wire') expect(ended.map((client) => idle.indexOf(client))).toEqual([...ended.keys()])
    expect(logged(lineOfClosing)).toHaveLength(1)
  },
)

test('nor do idle clients over HTTP/2', async () => {
  const { mirror, closed } = await limitedMirror('wire')
  const idle: ClientHttp2Session[] = []
  for (let i = 0; i < clients; i++) {
    const session = await http2Client(mirror.url)
    expect(await ask(session, { ':path': '/x' }), `client ${i}`).toMatchObject({ status: 200 })
    idle.push(session)
  }
  expect(idle.at(-1)!.closed).toBe(false)
  expect(await closed()).toBeGreaterThan(clients - descriptors)
})

const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']

test.each<[string, (url: string, idle: RawClient[]) => Promise<boolean[]>]>([
  ['requests of others', async (_, idle) => Promise.all(idle.map((client) => asks(client, '/together')))],
  ['handshakes of others', async (_, idle) => Promise.all(idle.map((client) => asks(client, '/together', upgrade)))],
  [
    'requests over HTTP/2',
    async (url, idle) => {
      const session = await http2Client(url)
      const answers = await Promise.all(idle.map(() => ask(session, { ':path': '/together' })))
      return answers.map(({ status }) => status === 200)
    },
  ],
])('idle clients make room for %s that come together', async (_, askTogether) => {
  const { mirror } = await limitedMirror('wire')
  const idle: RawClient[] = []
  for (let i = 0; i < clients; i++) {
    const client = await rawClient(mirror.url)
    expect(await asks(client, '/x'), `client ${i}`).toBe(true)
    idle.push(client)
  }
  // the primary answers once all of them have a connection
  expect(await askTogether(mirror.url, idle.slice(-awake))).toEqual(Array(awake).fill(true))
})
