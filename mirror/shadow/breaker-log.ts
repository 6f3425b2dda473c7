import type { Logger } from '../../runtime/logger.ts'
import type { Understudy } from './understudy.ts'

type Watched = Pick<Understudy, 'validation' | 'liveBreaker'> &
  Record<'shadows' | 'reverseShadows', Pick<Understudy['shadows'], 'isBreakerOpen' | 'urls'>>

const ofCopies = {
  opened: 'the circuit breaker is open: shadow requests are shed, except probes',
  closed: 'the circuit breaker is closed: requests are sent again',
}
const ofLive = {
  opened:
    'the live circuit breaker is open: the primary answers for the candidate, except for one request after each cooldown',
  closed: 'the live circuit breaker is closed: the candidate answers its share of clients again',
}

interface OpenBreaker {
  about: { validation: string; upstreams: readonly string[] }
  says: { opened: string; closed: string }
}

/**
 * Logs one line when a circuit breaker opens and one when it closes or disappears. Call it with the understudies in
 * force whenever a breaker turns or a reload replaces them; an open breaker that a reload carries over is not logged
 * again.
 */
export function breakerLog(logger: Logger): (understudies: readonly Watched[]) => void {
  let known: ReadonlyMap<string, OpenBreaker> = new Map()
  return (understudies) => {
    const now = new Map<string, OpenBreaker>()
    for (const { validation, liveBreaker, shadows, reverseShadows } of understudies) {
      const add = (key: string, { urls }: Watched['shadows'], says: OpenBreaker['says']) =>
        now.set(`${validation} ${urls} ${key}`, { about: { validation, upstreams: urls }, says })
      for (const queue of [shadows, reverseShadows]) if (queue.isBreakerOpen) add('copies', queue, ofCopies)
      if (liveBreaker?.isOpen) add('live', shadows, ofLive)
    }
    for (const [key, { about, says }] of now) if (!known.has(key)) logger.warn(about, says.opened)
    for (const [key, { about, says }] of known) if (!now.has(key)) logger.info(about, says.closed)
    known = now
  }
}
