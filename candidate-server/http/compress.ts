import { promisify } from 'node:util'
import { constants, deflate, gzip } from 'node:zlib'
import type { Reply } from './reply.ts'

const encoders = { gzip: promisify(gzip), deflate: promisify(deflate) }
type Encoding = keyof typeof encoders

/** Smaller bodies are not worth compressing. */
const bytesMin = 1024

/** Compresses the reply as `Accept-Encoding` allows: gzip is preferred to deflate, and speed to size. */
export async function compress(reply: Reply, acceptEncoding: string | undefined): Promise<Reply> {
  const encoding = preferredEncoding(acceptEncoding)
  if (!encoding || reply.body.length < bytesMin || reply.headers['content-encoding']) return reply
  const body = await encoders[encoding](reply.body, { level: constants.Z_BEST_SPEED })
  const vary = [reply.headers.vary, 'accept-encoding'].flat().filter(Boolean).join(', ')
  return { ...reply, headers: { ...reply.headers, 'content-encoding': encoding, vary }, body }
}

/** Only encodings named explicitly count: clients that send `*` seldom expect a compressed answer. */
function preferredEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (!acceptEncoding) return undefined
  const weights = new Map(
    acceptEncoding.split(',').map((part) => {
      const [name, ...parameters] = part.split(';')
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean)
      return [name!.trim().toLowerCase(), weight === undefined ? 1 : Number(weight)] as const
    }),
  )
  const [best] = (['gzip', 'deflate'] as const)
    .map((name) => ({ name, weight: weights.get(name) ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return best?.name
}
