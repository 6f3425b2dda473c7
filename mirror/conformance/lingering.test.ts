import { describe, expect, test } from 'vitest'
import { forwarders, head, host } from './case.ts'
import { rawClient, received } from './raw-client.ts'
import { rawPrimary } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const refused = {
  'its head': head('POST /p HTTP/1.1', host, 'content-length: 5', 'content-length: 6'),
  'its body': `${head('POST /p HTTP/1.1', host, 'transfer-encoding: chunked')}x\r\n`,
}

describe.each(forwarders)('a client that goes on sending still reads why %s refuses it,', (forwarder) => {
  test.each(Object.entries(refused))('for %s', async (_, bytes) => {
    const primary = await rawPrimary([])
    const mirror = await plainMirror(primary.url, forwarder)
    const client = await rawClient(mirror.url)
    client.socket.pause()
    client.socket.write(bytes + 'x'.repeat(1_000_000), 'latin1')
    client.socket.write('more')
    client.socket.resume()
    await received(client, () => false)
    expect(client.end).not.toBe('open')
    // Node destroys the connection at once, and what the client sends then resets it before the answer is read
    if (forwarder === 'http-proxy-3') return
    expect(client.received).toMatch(/^HTTP\/1\.1 400 /)
    expect(client.end).toBe('FIN')
  })

  test.each(['content-length: 400000', 'content-length: 900000', 'transfer-encoding: chunked'])(
    'for its target, whose body has %s',
    async (framing) => {
      const primary = await rawPrimary([])
      const mirror = await plainMirror(primary.url, forwarder)
      const client = await rawClient(mirror.url)
      client.socket.pause()
      const first = framing.endsWith('chunked') ? '61a80\r\n' : ''
      client.socket.write(head('POST http://user@models.example/p HTTP/1.1', host, framing) + first)
      for (let sent = 0; sent < 400_000; sent += 100_000) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        client.socket.write('x'.repeat(100_000))
      }
      client.socket.resume()
      await received(client, () => false)
      expect(client.received).toMatch(/^HTTP\/1\.1 400 /)
      expect(client.end).toBe('FIN')
    },
  )
})
