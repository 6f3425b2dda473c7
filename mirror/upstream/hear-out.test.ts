import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { forwarders, head, host } from '../conformance/case.ts'
import { rawClient, received } from '../conformance/raw-client.ts'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { waitFor } from '../testing/wait-for.ts'
import { connectTo, parseTarget } from './target.ts'

const refusal = `${head('HTTP/1.1 413 Content Too Large', 'connection: close', 'content-length: 5')}large`

/** Refuses each request at its first bytes and leaves the rest unread, so that the close resets the connection. */
const refusing = (left: () => void) => (socket: Socket) => {
  socket.once('data', () => {
    socket.pause()
    socket.write(refusal, () => socket.resetAndDestroy())
  })
  socket.once('close', left)
}

test.each(['own', 'shared'] as const)(
  'with %s reads, an answer is read before a failed write ends it',
  async (reads) => {
    let read = ''
    let error: NodeJS.ErrnoException | undefined
    // called in the same turn: the answer and the reset have arrived, and nobody has looked
    const { url } = await tcpUpstream(refusing(() => socket.write('more')))
    const socket = connectTo(parseTarget(url), reads)
    socket.on('data', (bytes: Buffer) => {
      read += bytes
    })
    socket.on('error', (one) => {
      error = one
    })
    socket.write('begin')
    await waitFor('the end', () => socket.closed)
    expect(error?.syscall).toBe('write')
    expect(read).toBe(refusal)
  },
)

test.each(forwarders)('over %s the client of an upload that is refused midway gets the refusal', async (forwarder) => {
  const { url } = await tcpUpstream(refusing(() => {}))
  const mirror = await mirrorUnderTest({ primary: url, forwarder })
  const bytes = 4_000_000
  const upload = async () => {
    const client = await rawClient(mirror.url)
    client.socket.write(head('POST /p HTTP/1.1', host, `content-length: ${bytes}`))
    client.socket.write(Buffer.alloc(bytes))
    await received(client, (all) => /large$|}$/.test(all))
    client.socket.destroy()
    return client.received.slice(9, 12)
  }
  const statuses = new Set<string>()
  for (let i = 0; i < 20; i++) statuses.add(await upload())
  expect([...statuses]).toEqual(['413'])
})
