import type { RouteState } from '../../vocabulary/routing.ts'
import { liveBucket } from '../exchange/sampling.ts'

/**
 * Whose answer the client gets: candidates take consecutive slices of [0, 100) by their live percent, in the order of
 * the config, and what lies beyond them is the primary's (undefined). A noise floor has no slice, whatever the routing.
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
