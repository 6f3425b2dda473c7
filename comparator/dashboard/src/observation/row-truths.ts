import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'

type Truth = ObservationDetail['truth']

/** Whether a label has this many values. */
export function isOfValues(truth: NonNullable<Truth>, values: number): boolean {
  return 'value' in truth && (truth.elements ?? [truth.value].flat().length) === values
}

/** The truth of each row, null if unknown; `misfit` for a label with a different number of rows, which joins none. */
export function rowTruths(truth: Truth, rows: number): readonly (string | null)[] | 'misfit' {
  if (truth === null || !('label' in truth)) return []
  const labels = [truth.label].flat()
  return (truth.elements ?? labels.length) === rows ? labels : 'misfit'
}
