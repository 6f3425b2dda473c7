import { type Leg, legs } from '../../../vocabulary/leg.ts'
import { sideOf } from '../../../vocabulary/mapping/mapping-side.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { hasRows } from '../../../vocabulary/mapping/row-pointers.ts'

interface SideMappings {
  primary: OutputMapping
  candidate: OutputMapping
  /** The labels that the primary's side of a classification declares. */
  labels: ReadonlySet<string> | null
  /** Whether a classification's response answers several rows. */
  rows: boolean
}

const known = new WeakMap<OutputMapping, SideMappings>()

/** The mapping for each side, cached, since every observation needs it. */
export function sideMappings(mapping: OutputMapping): SideMappings {
  return known.getOrInsertComputed(mapping, () => {
    const [primary, candidate] = legs.map((leg) => sideIn(mapping, leg))
    const labels = primary!.kind === 'classification' && primary!.labels ? new Set(primary!.labels) : null
    const rows = mapping.kind === 'classification' && hasRows(mapping)
    return { primary: primary!, candidate: candidate!, labels, rows }
  })
}

function sideIn(mapping: OutputMapping, leg: Leg): OutputMapping {
  const side = sideOf(mapping, leg) as OutputMapping
  if (leg === 'candidate' && mapping.kind === 'classification' && mapping.labelMap && !mapping.candidate?.labels) {
    // labels beside `kind` are the primary's; with a labelMap the candidate's scores have other labels
    const { labels, ...others } = side as typeof mapping
    return others
  }
  return side
}
