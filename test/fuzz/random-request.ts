import type { Random } from './random.ts'
import { randomFields, shuffled, writeChunks, writeFields } from './random-fields.ts'
import type { Field } from './read-head.ts'

/** A key in the request's target, by which it is recognised everywhere; a mangled target keeps what is left of it. */
const keyPattern = /\/k([a-z0-9]{10})/
export const keyOf = (target: string): string => keyPattern.exec(target)?.[1] ?? originForm(target)

export const originForm = (target: string): string => target.replace(/^http:\/\/[^/?]*/i, '')

/** Prefix of the mirrored route; other paths are only forwarded. */
export const mirroredPrefix = '/p'
/** Begins with that prefix and leads out of it. */
export const escapingPrefix = '/p/..%2F.'
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

export interface RequestShape {
  bodyBytesMax: number
  isPlain: boolean
  /** Whether the connection ends after it. */
  isLast: boolean
}

/** One request that is valid to the byte. */
export function randomRequest(random: Random, shape: RequestShape): Buffer {
  const method = random.choose({ POST: 10, GET: 4, PUT: 2, HEAD: 2, DELETE: 1, PATCH: 1, OPTIONS: 1 })
  const wantsBody = method === 'POST' || method === 'PUT' || method === 'PATCH' ? 0.9 : 0.15
  const framing = random.chance(wantsBody) ? random.choose({ length: 3, chunked: 2, zero: 1 }) : 'none'
  // HTTP/1.0 is always handled by Node's messages
  const version = shape.isPlain && random.chance(0.2) && framing !== 'chunked' ? 'HTTP/1.0' : 'HTTP/1.1'
  const body = framing === 'length' || framing === 'chunked' ? randomBody(random, shape.bodyBytesMax) : Buffer.alloc(0)
  const trailers: Field[] =
    framing === 'chunked' && random.chance(0.2)
      ? [
          ['X-Sum', 'a'],
          ['x-other', ''],
        ]
      : []

  const fields: Field[] = [['Host', random.pick(['models.example', 'models.example:80', '127.0.0.1', '[::1]:8080'])]]
  fields.push(...randomFields(random, shape.isPlain), ...connectionFields(random, version, shape.isLast))
  if (framing === 'length' || framing === 'zero') fields.push([cased(random, 'content-length'), String(body.length)])
  if (framing === 'chunked') fields.push([cased(random, 'transfer-encoding'), cased(random, 'chunked')])
  if (trailers.length > 0) fields.push(['Trailer', 'X-Sum, x-other'])
  if (body.length > 0 && version === 'HTTP/1.1' && !shape.isPlain && random.chance(0.1))
    fields.push(['Expect', '100-continue'])
  if (random.chance(0.7)) fields.push(['X-Request-Id', random.int(0, 1e9).toString(36)])
  if (random.chance(0.1)) fields.push(['Cookie', 'a=1; b=2'], ['Authorization', 'Bearer t'])
  if (random.chance(0.05)) fields.push(['X-Understudy-Shadow', '1'], ['x-understudy-observation', 'forged'])

  const head = `${method} ${randomTarget(random)} ${version}\r\n${writeFields(random, shuffled(random, fields), shape.isPlain)}\r\n`
  const content = framing === 'chunked' ? writeChunks(random, body, trailers) : body
  return Buffer.concat([Buffer.from(head, 'latin1'), content])
}

function randomTarget(random: Random): string {
  const key = Array.from({ length: 10 }, () => random.int(0, 35).toString(36)).join('')
  const prefix = random.choose({ '/p': 12, '/p/sub': 2, '/q': 2, '/pq': 1, '//p': 1, [escapingPrefix]: 1 })
  const query = random.pick(['', '', '', '?', '?x=1&x=%20?&y', '?u=http://other/p', '?%ZZ;a,b!$()*+=:@'])
  const origin = random.chance(0.04) && prefix === '/p' ? 'http://models.example' : ''
  return `${origin}${prefix}/k${key}${query}`
}

function connectionFields(random: Random, version: string, isLast: boolean): Field[] {
  if (isLast && random.chance(0.3))
    return [
      ['Connection', random.pick(['close', 'Close', 'close, x-hop'])],
      ['x-hop', '1'],
    ]
  if (version === 'HTTP/1.0') return isLast && random.chance(0.5) ? [] : [['Connection', 'keep-alive']]
  return random.choose({ none: 6, kept: 2, hop: 1, hints: 1 }) === 'none'
    ? []
    : random.pick<Field[]>([
        [['Connection', 'Keep-Alive']],
        [
          ['connection', 'keep-alive, X-Hop'],
          ['X-Hop', '1'],
        ],
        [
          ['Keep-Alive', 'timeout=5'],
          ['Proxy-Connection', 'keep-alive'],
          ['TE', 'trailers'],
        ],
      ])
}

function randomBody(random: Random, bytesMax: number): Buffer {
  return random.bytes(random.chance(0.7) ? random.int(1, 60) : 1 + random.size(bytesMax))
}

function cased(random: Random, name: string): string {
  return random.pick([name, name.toUpperCase(), name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())])
}
