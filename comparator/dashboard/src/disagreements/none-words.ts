import type { ObservationView } from '../../../../vocabulary/observation-view.ts'

/** Why there is no worst disagreement, by a sample of the exchanges that there were. */
export function noneWords(sample: readonly Pick<ObservationView, 'comparison'>[]): string {
  return sample.some(({ comparison }) => comparison === 'compared')
    ? 'None: all answers that could be compared are the same so far.'
    : 'None: no answers were compared so far.'
}
