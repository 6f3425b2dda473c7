import { promisify } from 'node:util'
import { constants, deflate, gzip } from 'node:zlib'
import type { Reply } from './reply.ts'

const encoders = { gzip: promisify(gzip), deflate: promisify(deflate) }
type Encoding = keyof typeof encoders

/** Below this there is nothing to win. */
const bytesMin = 1024

/** The reply as the client's `Accept-Encoding` would have it: gzip before deflate, both quick rather than small. */
export async function compress(reply: Reply, acceptEncoding: string | undefined): Promise<Reply> {
  const encoding = preferredEncoding(acceptEncoding)
  if (!encoding || reply.body.length < bytesMin || reply.headers['content-encoding']) return reply
  const body = await encoders[encoding](reply.body, { level: constants.Z_BEST_SPEED })
  const vary = [reply.headers.vary, 'accept-encoding'].flat().filter(Boolean).join(', ')
  return { ...reply, headers: { ...reply.headers, 'content-encoding': encoding, vary }, body }
}

/** Only what is named counts: a `*` would compress for clients that did not think of it. */
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
