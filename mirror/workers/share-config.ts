import type { CandidateConfig } from '../config/route.ts'
import type { MirrorConfig } from '../config.ts'
import { spoolDirOf } from '../delivery/spool-dir.ts'

/**
 * One worker's share of a config. Limits apply to all workers together, and the first workers take the remainder of a
 * division. Worker 0 uses `spool.dir` itself, where a mirror without workers has its spool.
 */
export function shareConfig(config: MirrorConfig, number: number): MirrorConfig {
  const { workers, capture, spool, routes } = config
  const share = (limit: number) => Math.floor(limit / workers) + (number < limit % workers ? 1 : 0)
  const shareLeg = <Leg extends Pick<CandidateConfig, 'concurrency' | 'queue'>>(leg: Leg): Leg => ({
    ...leg,
    concurrency: share(leg.concurrency),
    queue: share(leg.queue),
  })
  return {
    ...config,
    capture: { ...capture, memoryMax: share(capture.memoryMax) },
    spool: { dir: spoolDirOf(spool.dir, number), sizeMax: share(spool.sizeMax) },
    routes: routes.map((route) => ({
      ...route,
      candidates: route.candidates.map(shareLeg),
      ...(route.noiseFloor && { noiseFloor: shareLeg(route.noiseFloor) }),
    })),
  }
}
