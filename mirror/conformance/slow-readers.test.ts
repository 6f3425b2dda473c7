import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { date, head, host } from './case.ts'
import { rawClient, received, sendPieces } from './raw-client.ts'
import { rawPrimary, reply } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const kibibyte = 1024
const text = (bytes: number) => head('HTTP/1.1 200 OK', date, `content-length: ${bytes}`) + 'x'.repeat(bytes)
const answer = (bytes: number) => reply(text(bytes))

test('a client that stops reading for a while gets the whole answer, even if the connection ends with it', async () => {
  // one of these slightly exceeds what the kernel buffers, so that the end of the answer waits in the mirror
  const sizes = Array.from({ length: 40 }, (_, i) => 3840 * kibibyte + i * 24 * kibibyte)
  const primary = await rawPrimary((request) => answer(Number(/^GET \/(\d+) /.exec(request)![1])))
  const mirror = await plainMirror(primary.url, 'wire')
  const lacking = await Promise.all(
    sizes.map(async (bytes) => {
      const client = await rawClient(mirror.url)
      client.socket.pause()
      await sendPieces(client, [head(`GET /${bytes} HTTP/1.1`, host, 'connection: close')])
      await wait(3_500)
      client.socket.resume()
      await received(client, () => false)
      return bytes - (client.received.length - client.received.indexOf('\r\n\r\n') - 4)
    }),
  )
  expect(lacking.filter((bytes) => bytes !== 0)).toEqual([])
})

test('a client that pipelines requests and reads no answers is not read any further', async () => {
  const count = 800
  const primary = await rawPrimary(() => answer(60 * kibibyte))
  const mirror = await plainMirror(primary.url, 'wire')
  const client = await rawClient(mirror.url)
  client.socket.pause()
  client.socket.write(head('GET /p HTTP/1.1', host).repeat(count), 'latin1')
  await wait(2_000)
  expect(primary.requests.length).toBeLessThan(count / 2)
  client.socket.resume()
  await received(client, (bytes) => bytes.length >= count * text(60 * kibibyte).length)
  expect(primary.requests.length).toBe(count)
  expect(client.received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(count)
})
