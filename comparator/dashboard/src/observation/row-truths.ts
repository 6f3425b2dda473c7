import type { ObservationDetail } from '../../../../vocabulary/observation-detail.ts'

/** What is true of each row, null where it is not known; `misfit` of a label of another number of rows: it joins none. */
export function rowTruths(truth: ObservationDetail['truth'], rows: number): readonly (string | null)[] | 'misfit' {
  if (truth === null || !('label' in truth)) return []
  const labels = [truth.label].flat()
  return (truth.elements ?? labels.length) === rows ? labels : 'misfit'
}
