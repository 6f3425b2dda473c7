import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { forwarders, head, host } from '../conformance/case.ts'
import { rawClient, received } from '../conformance/raw-client.ts'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { connectTo, parseTarget } from './target.ts'

const refusal = `${head('HTTP/1.1 413 Content Too Large', 'connection: close', 'content-length: 5')}large`

/** Answers each request at its first bytes and leaves the rest unread, so that the close resets the connection. */
const resetting = (answer: string, left?: () => void) => (socket: Socket) => {
  socket.once('data', () => {
    socket.pause()
    socket.write(answer, () => socket.resetAndDestroy())
  })
  if (left) socket.once('close', left)
}

const bytes = 4_000_000

async function upload(mirrorUrl: string, isEnough: (bytes: string) => boolean) {
  const client = await rawClient(mirrorUrl)
  client.socket.write(head('POST /p HTTP/1.1', host, `content-length: ${bytes}`))
  client.socket.write(Buffer.alloc(bytes))
  await received(client, isEnough)
  client.socket.destroy()
  return client
}

test.each(['requests', 'copies'] as const)(
  'on a connection for %s, an answer is read before a failed write ends it',
  async (use) => {
    let read = ''
    let hasEnded = false
    let error: NodeJS.ErrnoException | undefined
    // called in the same turn: the answer and the reset have arrived, and nobody has looked
    const { url } = await tcpUpstream(resetting(refusal, () => socket.write('more')))
    const socket = connectTo(parseTarget(url), use)
    socket.on('data', (bytes: Buffer) => {
      read += bytes
    })
    socket.on('end', () => {
      hasEnded = true
    })
    socket.on('error', (one) => {
      error = one
    })
    socket.write('begin')
    await waitFor('the end', () => socket.closed)
    expect(error?.syscall).toBe('write')
    expect(read).toBe(refusal)
    expect(hasEnded).toBe(false)
  },
)

test.each(forwarders)('over %s the client of an upload that is refused midway gets the refusal', async (forwarder) => {
  const { url } = await tcpUpstream(resetting(refusal))
  const mirror = await mirrorUnderTest({ primary: url, forwarder })
  const statuses = new Set<string>()
  for (let i = 0; i < 20; i++) {
    const client = await upload(mirror.url, (all) => /large$|}$/.test(all))
    statuses.add(client.received.slice(9, 12))
  }
  expect([...statuses]).toEqual(['413'])
})

test.each(forwarders)('over %s an answer that a reset cuts during the upload is not completed', async (forwarder) => {
  // only the connection's end would bound it
  const { url } = await tcpUpstream(resetting(`${head('HTTP/1.1 200 OK', 'connection: close')}half`))
  const mirror = await mirrorUnderTest({ primary: url, forwarder })
  const ends = new Set<string>()
  for (let i = 0; i < 20; i++) {
    const client = await upload(mirror.url, (all) => /^0\r\n|}$/m.test(all))
    ends.add(client.received.startsWith('HTTP/1.1 502') ? 'RST' : client.end)
  }
  expect([...ends]).toEqual(['RST'])
})
