import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { head, host } from './conformance/case.ts'
import { Flow } from './conformance/flow.ts'
import { rawClient, received } from './conformance/raw-client.ts'
import { fakeUpstream } from './testing/fake-upstream.ts'
import { mirrorConfig, mirrorUnderTest, send, tempDir } from './testing/mirror-under-test.ts'

test.each(['wire', 'http-proxy-3'])(
  'an upload answered early continues through a reload, and so does the next request: %s',
  async (forwarder) => {
    const bytes = 8 * 1024 * 1024
    let uploaded = 0
    const primary = await fakeUpstream((incoming, response) => {
      incoming.on('data', ({ length }: Buffer) => {
        uploaded += length
      })
      response.end('ok')
    })
    let open = 0
    primary.server.on('connection', (socket) => {
      open++
      socket.on('close', () => open--)
    })
    const section = { forwarder, primary: primary.url, spool: { dir: tempDir() } }
    const mirror = await mirrorUnderTest(section)
    await Promise.all([send(`${mirror.url}/x`), send(`${mirror.url}/x`)])
    expect(open).toBe(2)
    const client = await rawClient(mirror.url)
    client.socket.write(`${head('POST /upload HTTP/1.1', host, `content-length: ${1 + bytes}`)}x`, 'latin1')
    expect(await received(client, (answer) => answer.endsWith('ok'))).toBe(true)

    const prepared = await mirror.prepare(mirrorConfig({ ...section, timeout: '20s' }))
    await prepared.apply()
    await waitFor('the idle connection to be closed', () => open < 2)
    new Flow(client.socket, bytes)
    await waitFor('the upload', () => uploaded === 1 + bytes)
    client.socket.write(head('GET /x HTTP/1.1', host), 'latin1')
    const isSecondHere = (answers: string) => answers.split('HTTP/1.1 200').length === 3 && answers.endsWith('ok')
    expect(await received(client, isSecondHere)).toBe(true)
    await waitFor('the connection before to be closed', () => open === 1)
  },
)
