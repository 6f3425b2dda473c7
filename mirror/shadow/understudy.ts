import type { CandidateConfig, RouteConfig } from '../config/route.ts'
import type { LiveBreaker } from '../routing/live-breaker.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { ShadowQueue } from './shadow-queue.ts'

/** A candidate, or the noise floor, with everything that belongs to it alone. */
export interface Understudy {
  config: Omit<CandidateConfig, 'liveHeaders'>
  validation: string
  /** The primary against itself; never live. */
  isNoiseFloor: boolean
  upstreams: UpstreamGroup
  /** Undefined if it is never live. */
  liveBreaker: LiveBreaker | undefined
  shadows: ShadowQueue
  /** Copies to the primary while this candidate is live, under the same limits. */
  reverseShadows: ShadowQueue
}

export interface MirroredRoute extends RouteConfig {
  understudies: readonly Understudy[]
}
