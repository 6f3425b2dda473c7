import { legs } from '../../../vocabulary/leg.ts'
import { sideOf } from '../../../vocabulary/mapping/mapping-side.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import { modelVersionIn } from '../../compare/read/read-oip.ts'

/**
 * The observation with the versions that Open Inference Protocol answers state in their bodies, where no header named
 * one: servers such as Triton would otherwise change their model unnoticed, in the midst of a window.
 */
export function withStatedVersions(output: OutputMapping, observation: Observation): Observation {
  const named = { ...observation }
  for (const leg of legs) {
    const outcome = observation[leg]
    if (outcome.kind !== 'answered' || outcome.version !== undefined || sideOf(output, leg).protocol !== 'oip') continue
    const version = modelVersionIn(outcome)
    if (version !== undefined) named[leg] = { ...outcome, version }
  }
  return named
}
