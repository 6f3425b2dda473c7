import type { Leg } from './leg.ts'
import type { OutputMapping } from './output-mapping.ts'

/** A mapping as it holds for one side: what the side says for itself, and for the rest what is said for both. */
export function sideOf<Mapping extends OutputMapping>(mapping: Mapping, leg: Leg): Omit<Mapping, Leg> {
  return { ...mapping, ...mapping[leg] }
}
