import { type Leg, legs } from '../leg.ts'
import type { ClassificationMapping } from './mapping-kinds.ts'
import { sideOf } from './mapping-side.ts'

/** The score from which each side gives a label; null if the mapping does not say. */
export function scoreMinOf(mapping: ClassificationMapping): Record<Leg, number> | null {
  const [primary, candidate] = legs.map((leg) => sideOf(mapping, leg).scoreMin)
  return primary === undefined || candidate === undefined ? null : { primary, candidate }
}
