import type { Leg } from '../leg.ts'

/** A mapping as it applies to one side: the side's own settings, else those for both. */
export function sideOf<Mapping extends Partial<Record<Leg, object>>>(mapping: Mapping, leg: Leg): Omit<Mapping, Leg> {
  return { ...mapping, ...mapping[leg] }
}
