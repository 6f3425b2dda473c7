import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { answering, fakeUpstream, readAll } from '../testing/fake-upstream.ts'
import { ask, http2Client } from '../testing/http2-client.ts'
import { mirrorConfig, mirrorUnderTest } from '../testing/mirror-under-test.ts'

// a kept connection outlives many reloads, and its requests get the time limits of the config in force

/** All requests use one connection. */
function http1Client(url: string): () => Promise<unknown> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return async () => {
    const outgoing = request(`${url}/x`, { agent })
    outgoing.end()
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    await readAll(response)
  }
}

/** The objects with a `setTimeout` on our side of either connection. */
const http1 = async (url: string) => ({ ask: http1Client(url), patient: Socket.prototype })
const http2 = async (url: string) => {
  const session = await http2Client(url)
  const patient = Object.getPrototypeOf(Object.getPrototypeOf(session)) as Socket
  return { ask: () => ask(session, { ':path': '/x' }), patient }
}

test.each([
  ['HTTP/1.1 from the wire', 'wire', http1],
  ['HTTP/1.1 by Node', 'http-proxy-3', http1],
  ['HTTP/2', 'wire', http2],
] as const)(
  'after a reload a request of %s on a kept connection may take the new time',
  async (_, forwarder, client) => {
    const primary = await fakeUpstream(answering('{}'))
    const section = { forwarder, primary: primary.url }
    const mirror = await mirrorUnderTest({ ...section, timeout: '30s' })
    const { ask, patient } = await client(mirror.url)
    await ask()
    const prepared = await mirror.prepare(mirrorConfig({ ...section, timeout: '10m' }))
    await prepared.apply()

    const set = vi.spyOn(patient, 'setTimeout')
    onTestFinished(() => set.mockRestore())
    await ask()
    // a minute more than the upstream has, so that the client learns of its silence
    expect(set.mock.calls.map(([ms]) => ms)).toContain(660_000)
  },
)
