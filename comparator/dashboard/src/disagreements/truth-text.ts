import type { ObservationView } from '../../../../vocabulary/observation-view.ts'
import { vectorText } from './vector-text.ts'

export function truthText(truth: NonNullable<ObservationView['truth']>): string {
  return 'label' in truth ? truth.label : vectorText(truth.value)
}
