import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Upstream } from './upstream.ts'

interface Member {
  upstream: Upstream
  isHealthy: boolean
  /** Skipped until then. */
  restsUntil: Milliseconds
  /** It could not be reached, and nobody has tried it since. */
  isInDoubt: boolean
}

/**
 * Interchangeable upstreams, used in turn. Healthy ones that are not resting come first; any other is better than none.
 * After a rest one request tries the upstream, and the others follow once it has had the time of another rest to fail: a
 * host that drops packets would otherwise hold up all of them.
 */
export class UpstreamGroup {
  readonly #members: Member[]
  readonly #restMs: Milliseconds
  readonly #clock: Clock
  #turn = 0

  /** `before`: the group that this one replaces; its knowledge of the same addresses is kept. */
  constructor(upstreams: readonly Upstream[], restMs: Milliseconds, clock: Clock, before?: UpstreamGroup) {
    this.#members = upstreams.map((upstream) => {
      const known = (before ? before.#members : []).find((one) => one.upstream.target.url === upstream.target.url)
      const { isHealthy = true, restsUntil = 0, isInDoubt = false } = known ?? {}
      return { upstream, isHealthy, restsUntil, isInDoubt }
    })
    this.#restMs = restMs
    this.#clock = clock
  }

  get upstreams(): readonly Upstream[] {
    return this.#members.map(({ upstream }) => upstream)
  }

  get healthy(): readonly Upstream[] {
    return this.#members.filter(({ isHealthy }) => isHealthy).map(({ upstream }) => upstream)
  }

  get isAnyHealthy(): boolean {
    return this.#members.some(({ isHealthy }) => isHealthy)
  }

  /** Undefined if all have been tried. */
  next(tried: readonly Upstream[] = []): Upstream | undefined {
    const members = this.#members
    if (members.length === 1) return tried.length === 0 ? members[0]!.upstream : undefined
    const now = this.#clock.monotonic()
    const begin = this.#turn
    this.#turn = (begin + 1) % members.length
    let fallback: Upstream | undefined
    for (let i = 0; i < members.length; i++) {
      const member = members[(begin + i) % members.length]!
      const { upstream, isHealthy, restsUntil } = member
      if (tried.includes(upstream)) continue
      if (isHealthy && restsUntil <= now) {
        if (member.isInDoubt) member.restsUntil = now + this.#restMs
        member.isInDoubt = false
        return upstream
      }
      fallback ??= upstream
    }
    return fallback
  }

  /** Skips an upstream for a while because it could not be reached. */
  rest(upstream: Upstream): void {
    const member = this.#members.find((one) => one.upstream === upstream)
    if (!member) return
    member.restsUntil = this.#clock.monotonic() + this.#restMs
    member.isInDoubt = true
  }

  setHealthy(upstream: Upstream, isHealthy: boolean): void {
    const member = this.#members.find((one) => one.upstream === upstream)
    if (member) member.isHealthy = isHealthy
  }
}
