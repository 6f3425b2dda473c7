import type { Random } from './random.ts'
import { randomFields, writeChunks, writeFields } from './random-fields.ts'
import type { Field } from './read-head.ts'

export const roles = ['primary', 'a', 'b'] as const
export type Role = (typeof roles)[number]

/** An upstream's response to one request, to the byte. */
export interface Answer {
  /** Sent in `x-mark`. */
  mark: string
  method: string
  /** Offset in `bytes` at which the final response begins (after 1xx ones), and where its head ends. */
  start: number
  headEnd: number
  bytes: Buffer
  cuts: number[]
  delayMs: number
  /** When it starts: with the whole request, or with its head. */
  begins: 'whole' | 'head'
  /** Breaks off before byte `at`; `garbage` is sent whole, but is not a response. */
  fault: { kind: 'closed' | 'reset' | 'silent'; at: number } | { kind: 'garbage' } | undefined
  /** `unannounced` closes without notice; `poisoned` sends a second, unsolicited response. */
  afterwards: 'kept' | 'closed' | 'unannounced' | 'poisoned'
}

export interface AnswerShape {
  mark: string
  method: string
  bodyBytesMax: number
  isPlain: boolean
  /** Whether it may break, and whether it may fall silent. */
  mayFail: boolean
  mayHang: boolean
}

export const poison = Buffer.from('HTTP/1.1 200 OK\r\nx-mark: poison\r\ncontent-length: 6\r\n\r\npoison')

/** None of this may reach a client as a marked response. */
const garbage = [
  'nonsense\r\n\r\n',
  '\r\n',
  'HTTP/1.1 099 Low\r\n\r\n',
  'HTTP/1.1 1000 High\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc',
  'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
  'HTTP/1.1 200 OK\r\nx y: z\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nx: a\x00b\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc',
  `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
]

export function randomAnswer(random: Random, shape: AnswerShape): Answer {
  const { mark, method } = shape
  const status = random.choose({
    200: 12,
    201: 1,
    204: 1,
    206: 1,
    304: 1,
    400: 1,
    404: 1,
    500: 1,
    502: 1,
    503: 2,
    504: 1,
    599: 1,
  })
  const hasNone = status === '204' || status === '304'
  const body = random.chance(0.15) ? Buffer.alloc(0) : random.bytes(1 + random.size(shape.bodyBytesMax))
  const framing = hasNone ? 'none' : random.choose({ length: 5, chunked: 4, close: method === 'HEAD' ? 0 : 1 })
  const version = random.chance(0.05) && framing !== 'chunked' ? 'HTTP/1.0' : 'HTTP/1.1'
  const trailers: Field[] = framing === 'chunked' && random.chance(0.2) ? [['X-Sum', 'b']] : []

  const fields: Field[] = [
    ...randomFields(random, shape.isPlain),
    ['X-Mark', mark],
    ['Content-Type', random.pick(['application/json', 'a/b; c="d"'])],
  ]
  if (random.chance(0.2)) fields.push(['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2'])
  if (random.chance(0.5)) fields.push(['Date', 'Sat, 21 Nov 2026 08:00:00 GMT'])
  if (trailers.length > 0 && random.chance(0.5)) fields.push(['Trailer', 'X-Sum'])
  if (framing === 'length') fields.push(['Content-Length', String(body.length)])
  if (framing === 'chunked') fields.push(['Transfer-Encoding', 'chunked'])
  let afterwards: Answer['afterwards'] =
    version === 'HTTP/1.0' || framing === 'close' || random.chance(0.1) ? 'closed' : 'kept'
  if (afterwards === 'closed' && (framing !== 'close' || random.chance(0.5))) fields.push(['Connection', 'close'])
  else if (random.chance(0.2)) fields.push(['Connection', 'keep-alive'], ['Keep-Alive', 'timeout=5, max=100'])
  if (shape.mayFail && afterwards === 'kept' && body.length < 10_000)
    afterwards = random.choose({ kept: 10, unannounced: 1, poisoned: 1 })

  const hints = random.choose({ 0: 12, 1: 1, 2: 1 })
  const interim = [
    '',
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Hints\r\nlink: <b>\r\n\r\n',
  ][Number(hints)]!
  const reason = random.pick(['OK', 'OK', '', 'Some Words', shape.isPlain ? '' : 'caf\xe9'])
  const head = `${version} ${status} ${reason}\r\n${writeFields(random, fields, shape.isPlain)}\r\n`
  const hasBody = !hasNone && method !== 'HEAD'
  const content = framing === 'chunked' ? writeChunks(random, body, trailers) : body
  const bytes = Buffer.concat([Buffer.from(interim + head, 'latin1'), hasBody ? content : Buffer.alloc(0)])
  const answer: Answer = {
    mark,
    method,
    bytes,
    start: interim.length,
    headEnd: interim.length + head.length,
    cuts: random.cuts(bytes.length),
    delayMs: random.chance(0.8) ? 0 : random.int(1, 15),
    begins: random.chance(0.06) ? 'head' : 'whole',
    fault: undefined,
    afterwards,
  }
  if (shape.mayFail && random.chance(0.3)) fail(random, answer, shape.mayHang)
  return answer
}

function fail(random: Random, answer: Answer, mayHang: boolean): void {
  const kind = random.choose({ closed: 4, reset: 4, garbage: 3, silent: mayHang ? 2 : 0 })
  if (kind === 'garbage') {
    answer.bytes = Buffer.from(random.pick(garbage), 'latin1')
    answer.start = answer.headEnd = 0
    answer.cuts = random.cuts(answer.bytes.length)
    answer.fault = { kind }
    // some garbage is only the beginning of a response
    answer.afterwards = mayHang && random.chance(0.5) ? 'kept' : 'closed'
  } else {
    const inHead = random.int(0, answer.headEnd - 1)
    const at = random.choose({ none: 2, head: 2, anywhere: 3 })
    answer.fault = { kind, at: at === 'none' ? 0 : at === 'head' ? inHead : random.int(0, answer.bytes.length - 1) }
  }
}
