import type { Logger } from '../../runtime/logger.ts'
import type { Understudy } from '../exchange/surroundings.ts'

type Watched = Pick<Understudy, 'validation'> &
  Record<'shadows' | 'reverseShadows', Pick<Understudy['shadows'], 'isBreakerOpen' | 'urls'>>

/**
 * One line in the log when a circuit breaker opens, one when it is closed again, or is no more. To be given the
 * understudies in force whenever one of these has changed, or they have: what a reload carries over is no news.
 */
export function breakerLog(logger: Logger): (understudies: readonly Watched[]) => void {
  let known = new Map<string, { validation: string; upstreams: readonly string[] }>()
  return (understudies) => {
    const now: typeof known = new Map()
    for (const { validation, shadows, reverseShadows } of understudies) {
      for (const { isBreakerOpen, urls } of [shadows, reverseShadows]) {
        if (isBreakerOpen) now.set(`${validation} ${urls}`, { validation, upstreams: urls })
      }
    }
    for (const [key, of] of now) {
      if (!known.has(key))
        logger.warn(of, 'the circuit breaker is open: shadow requests are shed, but for probes, and none is live')
    }
    for (const [key, of] of known) {
      if (!now.has(key)) logger.info(of, 'the circuit breaker is closed: requests are sent again')
    }
    known = now
  }
}
