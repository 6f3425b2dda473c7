import type { Leg } from './leg.ts'

/** A mapping as it holds for one side: what the side says for itself, and for the rest what is said for both. */
export function sideOf<Mapping extends Partial<Record<Leg, object>>>(mapping: Mapping, leg: Leg): Omit<Mapping, Leg> {
  return { ...mapping, ...mapping[leg] }
}
