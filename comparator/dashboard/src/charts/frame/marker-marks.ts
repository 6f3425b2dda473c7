import * as Plot from '@observablehq/plot'
import type { EpochMs } from '../../../../../vocabulary/units.ts'

/** An event during the period shown, drawn on every chart over time. */
export interface TimeMarker {
  at: EpochMs
  /** `rollout`: live traffic moved; `version`: the model changed; `policy`: the policy changed. */
  kind: 'rollout' | 'version' | 'policy'
  /** One or two words, such as `10 %` or `candidate 4`. */
  label: string
}

const symbols = { rollout: 'triangle', version: 'diamond', policy: 'square' } as const
const labelPxPerLetter = 6.4
const labelGapPx = 18

/** The markers inside the span. A label that would touch the next marker is omitted. */
export function placeMarkers(
  markers: readonly TimeMarker[],
  [from, to]: readonly [EpochMs, EpochMs],
  plotWidth: number,
): TimeMarker[] {
  const inside = markers.filter(({ at }) => at >= from && at <= to).toSorted((a, b) => a.at - b.at)
  const pxOf = ({ at }: TimeMarker) => ((at - from) / (to - from)) * plotWidth
  return inside.map((marker, index) => {
    const next = inside[index + 1]
    const room = (next === undefined ? plotWidth + labelGapPx : pxOf(next)) - pxOf(marker)
    return labelGapPx + marker.label.length * labelPxPerLetter <= room ? marker : { ...marker, label: '' }
  })
}

/** A hairline with a symbol on top: the symbol shows the kind, its title says what happened. */
export function markerMarks(placed: readonly TimeMarker[], titles: (marker: TimeMarker) => string): Plot.Markish[] {
  return (['rollout', 'version', 'policy'] as const).flatMap((kind) => {
    const own = placed.filter((marker) => marker.kind === kind)
    if (own.length === 0) return []
    const className = `mark-marker mark-marker-${kind}`
    return [
      Plot.ruleX(own, { x: 'at', className }),
      Plot.dot(own, { x: 'at', frameAnchor: 'top', symbol: symbols[kind], r: 4.5, dy: -8, className, title: titles }),
      Plot.text(own, {
        x: 'at',
        frameAnchor: 'top',
        text: 'label',
        dx: 8,
        dy: -8,
        lineAnchor: 'middle',
        textAnchor: 'start',
        className: 'mark-marker-text',
      }),
    ]
  })
}
