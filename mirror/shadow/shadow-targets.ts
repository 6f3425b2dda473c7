import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Target } from '../upstream/target.ts'
import { UpstreamGroup } from '../upstream/upstream-group.ts'

/** Where the copies of one queue are sent. */
export interface ShadowTargets {
  all: readonly Target[]
  next(): Target
  /** Reports that a target could not be reached. */
  refused(target: Target): void
}

export const onlyTarget = (target: Target): ShadowTargets => ({ all: [target], next: () => target, refused() {} })

/**
 * The primaries, in a rotation of the queue's own, so that a copy may also go to the primary that answered its client.
 * Unhealthy primaries are skipped as they are for clients. A primary that refused a copy is skipped for `restMs`, since
 * its being down says nothing about the model; this does not keep it from clients.
 */
export function primariesInTurn(primary: UpstreamGroup, restMs: Milliseconds, clock: Clock): ShadowTargets {
  const { upstreams } = primary
  const turn = new UpstreamGroup(upstreams, restMs, clock)
  return {
    all: upstreams.map(({ target }) => target),
    next() {
      const { healthy } = primary
      const unhealthy = upstreams.filter((upstream) => !healthy.includes(upstream))
      return (turn.next(unhealthy) ?? turn.next()!).target
    },
    refused(target) {
      turn.rest(upstreams.find((upstream) => upstream.target === target)!)
    },
  }
}
