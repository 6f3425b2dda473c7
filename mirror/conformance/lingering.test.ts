import { describe, expect, test } from 'vitest'
import { forwarders, head, host } from './case.ts'
import { rawClient, received } from './raw-client.ts'
import { rawPrimary } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const refused = {
  'its head': head('POST /p HTTP/1.1', host, 'content-length: 5', 'content-length: 6'),
  'its body': `${head('POST /p HTTP/1.1', host, 'transfer-encoding: chunked')}x\r\n`,
}

describe.each(forwarders)('a client that %s refuses hears of it, though it goes on sending,', (forwarder) => {
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
    // Node destroys the connection at once, and what the client sends then resets what it was sent
    if (forwarder === 'http-proxy-3') return
    expect(client.received).toMatch(/^HTTP\/1\.1 400 /)
    expect(client.end).toBe('FIN')
  })
})
