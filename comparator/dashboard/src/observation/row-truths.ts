import type { ObservationDetail } from '../../../../vocabulary/observation-detail.ts'

type Truth = ObservationDetail['truth']

/** Whether a label is of so many values. */
export function isOfValues(truth: NonNullable<Truth>, values: number): boolean {
  return 'value' in truth && (truth.elements ?? [truth.value].flat().length) === values
}

/** What is true of each row, null where it is not known; `misfit` of a label of another number of rows: it joins none. */
export function rowTruths(truth: Truth, rows: number): readonly (string | null)[] | 'misfit' {
  if (truth === null || !('label' in truth)) return []
  const labels = [truth.label].flat()
  return (truth.elements ?? labels.length) === rows ? labels : 'misfit'
}
