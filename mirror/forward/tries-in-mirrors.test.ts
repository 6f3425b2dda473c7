import { request, type ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fakeUpstream } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, send } from '../testing/mirror-under-test.ts'

const body = 'x'.repeat(100_000)

/** Reads the whole request, then waits for `answer`. */
async function waitingUpstream() {
  let waiting: ServerResponse | undefined
  const { url } = await fakeUpstream((incoming, response) => {
    incoming.resume().on('end', () => {
      waiting = response
    })
  })
  return { url, whole: () => waitFor('the whole request', () => waiting) }
}

describe.each(['wire', 'http-proxy-3'])('over %s,', (forwarder) => {
  test('the body held for another try is released once the response’s head arrives', async () => {
    const { url, whole } = await waitingUpstream()
    const mirror = await mirrorUnderTest({ forwarder, primary: url })
    const answer = send(`${mirror.url}/x`, { method: 'PUT', body })
    const response = await whole()
    expect(mirror.heldBytes).toBe(body.length)
    response.flushHeaders()
    await waitFor('the body to be let go', () => mirror.heldBytes === 0)
    response.end()
    expect((await answer).status).toBe(200)
  })

  test('nothing is held if no other try is possible', async () => {
    const { url, whole } = await waitingUpstream()
    const mirror = await mirrorUnderTest({ forwarder, primary: url })
    const answer = send(`${mirror.url}/x`, { method: 'POST', body })
    const response = await whole()
    expect(mirror.heldBytes).toBe(0)
    response.end()
    expect((await answer).status).toBe(200)
  })

  test('what was held for a client is released when it leaves', async () => {
    const { url, whole } = await waitingUpstream()
    const mirror = await mirrorUnderTest({ forwarder, primary: url })
    const client = request(`${mirror.url}/x`, { method: 'PUT' }).on('error', () => {})
    onTestFinished(() => void client.destroy())
    client.end(body)
    await whole()
    expect(mirror.heldBytes).toBe(body.length)
    client.destroy()
    await waitFor('the body to be let go', () => mirror.heldBytes === 0)
  })

  test('a body that memory has no room for is forwarded, but not sent twice', async () => {
    let requests = 0
    const { url } = await fakeUpstream((incoming) => {
      requests++
      incoming.resume().on('end', () => incoming.socket.destroy())
    })
    const tried = async (memoryMax: string) => {
      const mirror = await mirrorUnderTest({ forwarder, primary: { urls: [url, url] }, capture: { memoryMax } })
      requests = 0
      expect((await send(`${mirror.url}/x`, { method: 'PUT', body })).status).toBe(502)
      expect(mirror.heldBytes).toBe(0)
      return requests
    }
    expect([await tried('1MiB'), await tried('64KiB')]).toEqual([2, 1])
  })
})
