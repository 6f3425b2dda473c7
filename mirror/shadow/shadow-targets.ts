import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Target } from '../upstream/target.ts'
import { UpstreamGroup } from '../upstream/upstream-group.ts'

/** Whom the copies of one queue go to. */
export interface ShadowTargets {
  all: readonly Target[]
  next(): Target
  /** It could not be reached just now. */
  refused(target: Target): void
}

export const onlyTarget = (target: Target): ShadowTargets => ({ all: [target], next: () => target, refused() {} })

/**
 * The primaries, in a turn of the queue's own, so that a copy may go to the one that has answered its client too. One
 * that is unhealthy is left out as it is for clients, and so, for `restMs`, is one that refused a copy: that it is down
 * says nothing of the model. Copies keep none from clients.
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
