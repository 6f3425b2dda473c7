import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { date, forwarders, head, host } from './case.ts'
import { rawClient, received } from './raw-client.ts'
import { early, rawPrimary } from './raw-primary.ts'
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

test.each(['connection: close', 'connection: keep-alive'])(
  'a client that goes on sending after an early answer, if only after a pause, and reads it late, gets all of it, with %s',
  async (connection) => {
    // some of these slightly exceed what the kernel buffers, so that the end of the answer waits there
    const sizes = Array.from({ length: 10 }, (_, i) => (2500 + i * 300) * 1024)
    const primary = await rawPrimary((request) => {
      const bytes = Number(/^POST \/(\d+) /.exec(request)![1])
      return early(head('HTTP/1.1 200 OK', date, `content-length: ${bytes}`) + 'x'.repeat(bytes))
    })
    const mirror = await plainMirror(primary.url, 'wire')
    const lacking = await Promise.all(
      sizes.map(async (bytes) => {
        const client = await rawClient(mirror.url)
        client.socket.pause()
        client.socket.write(head(`POST /${bytes} HTTP/1.1`, host, connection, 'content-length: 1000000000'), 'latin1')
        for (let i = 0; i < 50; i++) {
          client.socket.write('x'.repeat(1000))
          await wait(80)
        }
        await wait(2500)
        client.socket.write('x'.repeat(1000))
        client.socket.resume()
        const lackingOf = (answer: string) => bytes - (answer.length - answer.indexOf('\r\n\r\n') - 4)
        await received(client, (answer) => lackingOf(answer) === 0)
        return lackingOf(client.received)
      }),
    )
    expect(lacking.filter((bytes) => bytes !== 0)).toEqual([])
  },
)
