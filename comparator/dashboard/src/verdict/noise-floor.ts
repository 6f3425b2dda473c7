import type { ValidationView } from '../../../../vocabulary/api/validation.ts'

/**
 * Whether others use its metrics as their noise floor and all of its own checks are report-only, so that there is
 * nothing to promote.
 */
export function isNoiseFloor({ noiseFloorOf, policy }: Pick<ValidationView, 'noiseFloorOf' | 'policy'>): boolean {
  return noiseFloorOf.length > 0 && policy.gate.every(({ reportOnly }) => reportOnly)
}
