import type { RouteState } from '../../vocabulary/routing.ts'
import { liveBucket } from '../sampling.ts'

/**
 * Chooses who answers the client. Candidates take consecutive slices of [0, 100) by live percent, in config order; the
 * rest is the primary's (undefined). A noise floor never has a slice, whatever the routing says.
 */
export function chooseLive<Candidate extends { validation: string; isNoiseFloor?: boolean }>(
  candidates: readonly Candidate[],
  routing: Readonly<Record<string, RouteState>>,
  correlationId: string,
): Candidate | undefined {
  let bucket: number | undefined
  let end = 0
  for (const candidate of candidates) {
    const percent = routing[candidate.validation]?.livePercent ?? 0
    if (percent <= 0 || candidate.isNoiseFloor) continue
    bucket ??= liveBucket(correlationId)
    end += percent
    if (bucket < end) return candidate
  }
  return undefined
}
