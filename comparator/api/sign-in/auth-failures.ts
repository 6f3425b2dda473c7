import type { Milliseconds } from '../../../vocabulary/units.ts'
import { RecentMap } from './recent-map.ts'

const rememberedMax = 10_000

/**
 * Counts wrong tokens by address. Over the limit, tokens from that address are refused unchecked until the period ends.
 * A token that was accepted from the address before is exempt, so that nobody can lock out a mirror or a colleague
 * behind the same gateway. Both memories are bounded.
 */
export class AuthFailures {
  readonly #limit: { max: number; per: Milliseconds }
  readonly #now: () => Milliseconds
  readonly #failures = new RecentMap<{ count: number; until: Milliseconds }>(rememberedMax)
  readonly #accepted = new RecentMap<true>(rememberedMax)

  constructor(limit: { max: number; per: Milliseconds }, now: () => Milliseconds) {
    this.#limit = limit
    this.#now = now
  }

  /** How long the token with this digest must wait; 0 if it may be checked now. */
  waitMs(address: string, digest: string): Milliseconds {
    const network = networkOf(address)
    const entry = this.#failures.get(network)
    if (!entry || entry.count < this.#limit.max) return 0
    const left = entry.until - this.#now()
    return left <= 0 || this.#accepted.get(`${network} ${digest}`) ? 0 : left
  }

  /** Counts a wrong token. True if it is the one that reaches the limit. */
  failed(address: string): boolean {
    const network = networkOf(address)
    const now = this.#now()
    const entry = this.#failures.get(network)
    const isOver = !entry || entry.until <= now
    const counted = isOver ? { count: 1, until: now + this.#limit.per } : { ...entry, count: entry.count + 1 }
    this.#failures.set(network, counted)
    return counted.count === this.#limit.max
  }

  accepted(address: string, digest: string): void {
    this.#accepted.set(`${networkOf(address)} ${digest}`, true)
  }
}

/** An IPv4 address itself, or the /64 of an IPv6 address, which is what one subscriber has. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('%')[0]!.split('::')
  const front = head.split(':').filter((group) => group !== '')
  const back = tail.split(':').filter((group) => group !== '')
  const zeros = address.includes('::') ? 8 - front.length - back.length : 0
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].slice(0, 4).join(':')
}
