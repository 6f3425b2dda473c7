import { type Leg, legs } from '../../vocabulary/leg.ts'
import { sideOf } from '../../vocabulary/mapping-side.ts'
import type { OutputMapping } from '../../vocabulary/output-mapping.ts'
import { hasRows } from '../../vocabulary/row-pointers.ts'

interface SideMappings {
  primary: OutputMapping
  candidate: OutputMapping
  /** Of a classification: the labels that the primary's side declares. */
  labels: ReadonlySet<string> | null
  /** Of a classification: whether a response answers several rows. */
  rows: boolean
}

const known = new WeakMap<OutputMapping, SideMappings>()

/** The mapping as it holds for each side; worked out once, since it is asked for with each observation. */
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
    // labels beside `kind` are the primary's words, and the candidate's scores have others
    const { labels, ...others } = side as typeof mapping
    return others
  }
  return side
}
