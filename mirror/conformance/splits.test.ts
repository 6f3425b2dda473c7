import { describe, expect, test } from 'vitest'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { date, type ForwarderName, forwarders, head, host, ok } from './case.ts'
import { inOneChunk } from './one-chunk.ts'
import { rawClient, received, sendPieces } from './raw-client.ts'
import { pause, rawPrimary, reply } from './raw-primary.ts'
import { plainMirror } from './run-case.ts'

const chunkedBody = '5;a="b;c"\r\nhello\r\n0a\r\n, world!\r\n\r\n0\r\nX-Sum: 7\r\n\r\n'

const requests = {
  'a request with a length': `\r\n${head('POST /p?x HTTP/1.1', host, 'x:  1 ', 'content-length: 11')}hello\r\n\r\n12`,
  'a request in chunks': head('PUT /p HTTP/1.1', host, 'Transfer-Encoding: Chunked') + chunkedBody,
  'three requests':
    `${head('GET /p/1 HTTP/1.1', host)}${head('POST /p/2 HTTP/1.1', host, 'content-length: 1')}x` +
    head('GET /p/3 HTTP/1.1', host),
}

const responses = {
  'a response with a length': ok('hello\r\n\r\n12', 'X-A:', 'x-a:  2 '),
  'a response in chunks': head('HTTP/1.1 200 OK', date, 'Transfer-Encoding: Chunked') + chunkedBody,
  'a response behind an interim one': head('HTTP/1.1 103 Early Hints', 'link: </a>') + ok('x'),
}

describe.each(forwarders)('through %s', (forwarder) => {
  test.each(Object.entries(requests))('%s, split anywhere, is passed on unchanged', async (_, bytes) => {
    const { primary, send } = await mirrored(forwarder, () => reply(ok()))
    const answer = await send([bytes])
    const whole = [...primary.requests]
    expect(whole).toHaveLength(bytes.split(' HTTP/1.1').length - 1)

    const cuts = [...offsets(bytes).map((at) => [bytes.slice(0, at), bytes.slice(at)]), [...bytes]]
    const answers = await forEach(cuts, (pieces) => send(pieces, answer))
    expect(new Set(answers)).toEqual(new Set([answer]))
    expect(primary.requests).toHaveLength(whole.length * (1 + cuts.length))
    expect(new Set(asPassed(forwarder, primary.requests))).toEqual(new Set(asPassed(forwarder, whole)))
  })

  test.each(Object.entries(responses))('%s, split anywhere, is passed on unchanged', async (_, bytes) => {
    const { send } = await mirrored(forwarder, (requestHead) => {
      const at = Number(/^GET \/p\/(\d+)/.exec(requestHead)![1])
      return reply(bytes.slice(0, at), pause, bytes.slice(at))
    })
    const get = (at: number, whole?: string) => send([head(`GET /p/${at} HTTP/1.1`, host)], whole)
    const whole = await get(0)
    const answers = await forEach(offsets(bytes), (at) => get(at, whole))
    expect(new Set(asPassed(forwarder, answers))).toEqual(new Set(asPassed(forwarder, [whole])))
  })
})

const offsets = (bytes: string) => Array.from({ length: bytes.length - 1 }, (_, i) => i + 1)

/** Node frames chunks as they arrive. */
const asPassed = (forwarder: ForwarderName, messages: readonly string[]) =>
  forwarder === 'wire' ? messages : messages.map(inOneChunk)

const atOnceMax = 32

async function forEach<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let i = 0; i < items.length; i += atOnceMax) {
    results.push(...(await Promise.all(items.slice(i, i + atOnceMax).map(run))))
  }
  return results
}

async function mirrored(forwarder: ForwarderName, replyTo: Parameters<typeof rawPrimary>[0]) {
  const candidate = await fakeUpstream(answering('{}'))
  const primary = await rawPrimary(replyTo)
  const mirror = await plainMirror(primary.url, forwarder, candidate.url)
  /** What comes back: as much as `whole`, or without that, whatever comes for a while. */
  const send = async (pieces: Iterable<string>, whole?: string) => {
    const client = await rawClient(mirror.url)
    await sendPieces(client, pieces)
    if (whole === undefined) await received(client, () => false, 300)
    else await received(client, (bytes) => inOneChunk(bytes).length >= inOneChunk(whole).length)
    client.socket.destroy()
    return client.received
  }
  return { primary, send }
}
