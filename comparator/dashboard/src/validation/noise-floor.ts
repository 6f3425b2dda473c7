import type { ValidationView } from '../../../../vocabulary/validation.ts'

/** Others read their metrics beside it, and nothing of its own model has a say: nothing is to be promoted here. */
export function isNoiseFloor({ noiseFloorOf, policy }: Pick<ValidationView, 'noiseFloorOf' | 'policy'>): boolean {
  return noiseFloorOf.length > 0 && policy.gate.every(({ reportOnly }) => reportOnly)
}
