import type { RequestListener } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import { Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { forwarders, head, host } from '../conformance/case.ts'
import { type RawClient, rawClient, received } from '../conformance/raw-client.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { ask as askOverHttp2, http2Client } from '../testing/http2-client.ts'
import { mirrorConfig, mirrorUnderTest, tempDir } from '../testing/mirror-under-test.ts'

const request = head('GET /x HTTP/1.1', host)

async function ask(client: RawClient): Promise<void> {
  const before = client.received.length
  client.socket.write(request)
  await received(client, (answers) => answers.length > before && answers.endsWith('{}'))
}

/** Recognises the clients that connect meanwhile by the times to which their sockets' timers were set. */
function watchTimers() {
  const set = vi.spyOn(Socket.prototype, 'setTimeout')
  onTestFinished(() => set.mockRestore())
  const socketWith = (ms: number) =>
    set.mock.contexts[set.mock.calls.findLastIndex(([given]) => given === ms)] as Socket
  return { socketWith }
}

describe('a client’s connection from the wire', () => {
  test('may be idle for longer than a request may be silent, but not beyond idleTimeout', async () => {
    const primary = await fakeUpstream(answering('{}', { 'content-length': '2' }))
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const { socketWith } = watchTimers()
    const client = await rawClient(mirror.url)
    await ask(client)
    const socket = socketWith(90_000)
    for (let i = 0; i < 2; i++) {
      expect(socket.timeout).toBe(90_000)
      // as if nothing had come for so long
      socket.emit('timeout')
      expect(socket.timeout).toBe(530_000)
      await ask(client)
    }
    socket.emit('timeout')
    socket.emit('timeout')
    await waitFor('the end', () => client.end !== 'open')
  })

  test('may not be silent for that long within a request', async () => {
    const primary = await fakeUpstream(hanging)
    const mirror = await mirrorUnderTest({ primary: primary.url })
    const { socketWith } = watchTimers()
    const client = await rawClient(mirror.url)
    client.socket.write(request)
    await waitFor('the request', () => primary.heads.length === 1)
    socketWith(90_000).emit('timeout')
    await waitFor('the end', () => client.end !== 'open')
  })
})

describe('a client’s connection over HTTP/2', () => {
  async function setUp(answer: RequestListener) {
    const primary = await fakeUpstream(answer)
    const mirror = await mirrorUnderTest({ primary: primary.url })
    // only its class is needed; once pinged, the session exists on both sides
    const other = await http2Client(mirror.url)
    await new Promise((resolve) => other.ping(resolve))
    const ofSessions = Object.getPrototypeOf(Object.getPrototypeOf(other)) as Socket
    const set = vi.spyOn(ofSessions, 'setTimeout')
    onTestFinished(() => set.mockRestore())
    const session = await http2Client(mirror.url)
    const ours = (await waitFor('our side', () => set.mock.contexts.at(-1))) as unknown as ServerHttp2Session
    let open = 0
    ours.on('stream', (stream) => {
      open++
      stream.once('close', () => open--)
    })
    const request = async () => {
      await askOverHttp2(session, { ':path': '/x' })
      await waitFor('its end on our side', () => open === 0)
    }
    /** As if no frame had come for so long. */
    const runOut = (ms: number) => {
      expect(set.mock.lastCall).toEqual([ms])
      ours.emit('timeout')
    }
    return { primary, session, request, runOut }
  }

  test('may be idle for longer than a request may be silent, but not beyond idleTimeout', async () => {
    const { session, request, runOut } = await setUp(answering('{}'))
    for (let i = 0; i < 2; i++) {
      await request()
      runOut(90_000)
    }
    expect(session.destroyed).toBe(false)
    runOut(530_000)
    await waitFor('the end', () => session.destroyed)
  })

  test('is not idle if it has sent a request that nobody has read yet', async () => {
    const { request, runOut } = await setUp(answering('{}'))
    await request()
    runOut(90_000)
    const asked = request()
    // sent before this turn's immediates, and read after them
    await new Promise(setImmediate)
    runOut(530_000)
    await asked
  })

  test('may not be silent for that long within a request', async () => {
    const { primary, session, request, runOut } = await setUp(hanging)
    request().catch(() => {})
    await waitFor('the request', () => primary.heads.length === 1)
    runOut(90_000)
    await waitFor('the end', () => session.destroyed)
  })
})

test.each(forwarders)('over %s a client idle for the idleTimeout of the last reload is closed', async (forwarder) => {
  const primary = await fakeUpstream(answering('{}', { 'content-length': '2' }))
  const section = { forwarder, primary: primary.url, spool: { dir: tempDir() } }
  const mirror = await mirrorUnderTest(section)
  const early = await rawClient(mirror.url)
  await ask(early)
  const prepared = await mirror.prepare(mirrorConfig({ ...section, idleTimeout: '50ms' }))
  await prepared.apply()
  const [fresh, silent] = [await rawClient(mirror.url), await rawClient(mirror.url)]
  await Promise.all([ask(early), ask(fresh)])
  for (const client of [early, fresh, silent]) await waitFor('its end', () => client.end !== 'open')
})
