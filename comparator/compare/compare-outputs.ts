import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import { type Comparison, compareObservation } from './compare-observation.ts'

/** The comparison of each of a validation's further outputs, by name. */
export type OutputComparisons = Readonly<Record<string, Comparison>>

const none: OutputComparisons = {}

export function compareOutputs(
  outputs: Record<string, OutputMapping> | undefined,
  observation: Observation,
): OutputComparisons {
  if (outputs === undefined) return none
  const compared = Object.entries(outputs).map(([name, mapping]) => [name, compareObservation(mapping, observation)])
  return Object.fromEntries(compared)
}
