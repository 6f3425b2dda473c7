import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'

type Answer = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

const waiting = new Map<string, Answer[]>()

/**
 * `dns.lookup`, once for all who ask for the same name at the same time: each takes one of four threads that disk and
 * compression need too, for as long as a name server does not answer. Nothing is remembered beyond that.
 */
export function sharedLookup(hostname: string, options: LookupOptions, answer: Answer): void {
  const key = `${hostname} ${JSON.stringify(options)}`
  const others = waiting.get(key)
  if (others) {
    others.push(answer)
    return
  }
  waiting.set(key, [answer])
  lookup(hostname, options, (...result: Parameters<Answer>) => {
    const asked = waiting.get(key)!
    waiting.delete(key)
    for (const tell of asked) tell(...result)
  })
}
