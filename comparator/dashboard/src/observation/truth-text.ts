import type { ObservationView } from '../../../../vocabulary/api/observation-view.ts'
import { headText, vectorText } from './vector-text.ts'

/** `cat`, or the first few of several rows: `cat, –, dog, cat … (32 rows)`; unknown ones are dashes. */
export function truthText(truth: NonNullable<ObservationView['truth']>): string {
  if ('value' in truth) return vectorText(truth.value, truth.elements)
  const { label, elements } = truth
  return typeof label === 'string' ? label : headText(label, (of) => of, 'rows', elements)
}
