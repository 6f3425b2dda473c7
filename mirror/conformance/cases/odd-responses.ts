import { date, head, host, type OpenDefect, ok } from '../case.ts'
import { fin, pause, type Reply, reply, rst } from '../raw-primary.ts'
import type { View } from '../view.ts'

/** What the client gets: our own answer, or these bytes and this end of the connection. */
export type Sees = 502 | Pick<View, 'client' | 'end'>

/** A response that no server should send, to a request that must not be sent twice. */
export interface OddResponse {
  name: string
  sends?: string
  reply: Reply
  sees: Sees
  throughHttpProxy3?: { sees: Sees; why: string }
  open?: readonly OpenDefect[]
}

const poison = ok('poison')
const strict = "Node's parser takes it for broken"
const chunked = 'transfer-encoding: chunked'
const lines = (...more: string[]) => head('HTTP/1.1 200 OK', date, ...more)

const kept = (client: string): Sees => ({ client, end: 'kept' })
const broken = (client: string, end: 'FIN' | 'RST' = 'FIN'): Sees => ({ client, end })
const odd = (name: string, given: Reply, sees: Sees): OddResponse => ({ name, reply: given, sees })

const noResponses: OddResponse[] = [
  odd('no HTTP', reply('nonsense\r\n\r\n', fin), 502),
  odd('no HTTP, and no line', reply('\x00\x01\x02\x03', pause, fin), 502),
  odd('no byte', reply(fin), 502),
  odd('a reset', reply(pause, rst), 502),
  odd('half a head', reply('HTTP/1.1 200 OK\r\ndate: ', pause, fin), 502),
  ...['HTTP/1.1 20 OK', 'HTTP/1.1 2000 OK', 'HTTP/1.1 x OK', 'HTTP/1.1 099 Low', 'HTTP/1.1200 OK', 'ICY 200 OK'].map(
    (line) => odd(line, reply(ok().replace('HTTP/1.1 200 OK', line), fin), 502),
  ),
  odd(
    'an unrequested switch of protocols',
    reply(head('HTTP/1.1 101 Switching Protocols', 'upgrade: x', 'connection: upgrade'), 'x'),
    502,
  ),
  odd('a head of 100 KB', reply(ok('ok', `x: ${'y'.repeat(100_000)}`), fin), 502),
  odd('an endless head', reply(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000_000)}`), 502),
  ...['-1', 'x', '2, 3', '99999999999999999999', ''].map((length) =>
    odd(`the length ${JSON.stringify(length)}`, reply(`${lines(`content-length: ${length}`)}ok`, fin), 502),
  ),
  odd('two lengths that differ', reply(`${lines('content-length: 2', 'content-length: 3')}ok`, fin), 502),
  {
    ...odd(
      'a coding after chunked',
      reply(
        `${lines('transfer-encoding: chunked, gzip')}2
ok
0

`,
        fin,
      ),
      502,
    ),
  },
  {
    ...odd('a later version', reply(ok().replace('HTTP/1.1', 'HTTP/2.0'), fin), 502),
    throughHttpProxy3: { sees: kept(ok()), why: "Node's parser reads 2.0 like 1.1" },
  },
]

const brokenBodies: OddResponse[] = [
  odd(
    'a body shorter than its length',
    reply(`${lines('content-length: 10')}half`, pause, fin),
    broken(`${lines('content-length: 10')}half`),
  ),
  odd(
    'a reset in the middle of a body',
    reply(`${lines('content-length: 10')}half`, pause, rst),
    broken(`${lines('content-length: 10')}half`),
  ),
  odd(
    'a chunked body that does not end',
    reply(`${lines(chunked)}4\r\nhalf\r\n`, pause, fin),
    broken(`${lines(chunked)}4\r\nhalf\r\n`),
  ),
  odd(
    'an invalid chunk after a valid one',
    reply(`${lines(chunked)}4\r\nhalf\r\n`, pause, 'x\r\n', pause, fin),
    broken(`${lines(chunked)}4\r\nhalf\r\n`),
  ),
  {
    ...odd(
      'a chunk longer than its size',
      reply(`${lines(chunked)}4\r\nhalf`, pause, 'and more', pause, fin),
      broken(`${lines(chunked)}4\r\nhalf`),
    ),
    throughHttpProxy3: { sees: broken(`${lines(chunked)}4\r\nhalf\r\n`), why: 'Node frames what it has read of it' },
  },
]

const tooMuch: OddResponse[] = [
  odd('another response behind the response', reply(ok() + poison), kept(ok())),
  odd('another response, a little later', reply(ok(), pause, poison), kept(ok())),
  odd('a body longer than its length', reply(ok().replace('length: 2', 'length: 1')), kept(ok('o'))),
  odd(
    'bytes behind a chunked body',
    reply(`${lines(chunked)}2\r\nok\r\n0\r\n\r\nmore`),
    kept(`${lines(chunked)}2\r\nok\r\n0\r\n\r\n`),
  ),
  odd(
    'a 204 with a body',
    reply(`${head('HTTP/1.1 204 No Content', date)}body`),
    kept(head('HTTP/1.1 204 No Content', date)),
  ),
  odd(
    'a 304 with a body',
    reply(`${head('HTTP/1.1 304 Not Modified', date, 'content-length: 4')}body`),
    kept(head('HTTP/1.1 304 Not Modified', date, 'content-length: 4')),
  ),
  {
    ...odd('a body in the answer to a HEAD', reply(ok()), kept(ok().slice(0, -2))),
    sends: head('HEAD /p HTTP/1.1', host),
  },
]

const lenient: OddResponse[] = [
  {
    ...odd('a folded line', reply(ok('ok', 'x: a', ' \tb')), kept(ok('ok', 'x: a b'))),
    throughHttpProxy3: { sees: 502, why: strict },
  },
  {
    ...odd(
      'a length together with a coding',
      reply(`${lines('content-length: 2', chunked)}2\r\nok\r\n0\r\n\r\n`),
      kept(`${lines(chunked)}2\r\nok\r\n0\r\n\r\n`),
    ),
    throughHttpProxy3: { sees: 502, why: strict },
  },
  {
    ...odd(
      'no headers at all',
      reply('HTTP/1.1 200 OK\r\n\r\nbody', pause, fin),
      broken('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody'),
    ),
    throughHttpProxy3: {
      sees: kept(`${head('HTTP/1.1 200 OK', chunked)}4\r\nbody\r\n0\r\n\r\n`),
      why: 'Node chunks what has no length',
    },
  },
  odd(
    'a status line without its last space',
    reply(ok().replace('200 OK', '200')),
    kept(ok().replace('200 OK', '200 ')),
  ),
  odd('an older version', reply(ok().replace('HTTP/1.1', 'HTTP/1.0'), fin), kept(ok())),
  odd(
    'an older version that is kept alive',
    reply(ok('ok', 'connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0')),
    kept(ok()),
  ),
]

export const oddResponses = { noResponses, brokenBodies, tooMuch, lenient }
