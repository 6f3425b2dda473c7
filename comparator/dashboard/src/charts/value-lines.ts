import * as Plot from '@observablehq/plot'
import type { Leg } from '../../../../vocabulary/leg.ts'

/** A value that a chart of a distribution points at: a quantile of a side, of the whole, or a limit of the policy. */
export interface ValueLine {
  kind: Leg | 'whole' | 'limit'
  value: number
  label: string
}

export interface PlacedLine extends ValueLine {
  /** Labels stand in rows over the plot, 0 at the top. */
  row: number
  anchor: 'start' | 'end'
  /** '' where there was no room for it. */
  text: string
}

const rowHeightPx = 14
/** Of the widest of the faces that the page may be set in. */
const letterPx = 7.4
/** From the line to its label, and behind it the ground that the next one's letters bring along. */
const gapPx = 7

export const marginTopOf = (rows: number) => 10 + rows * rowHeightPx

/**
 * Which label each line has, and where: a row a kind, from the top; a label that would touch the one before it in its
 * row is left out, one that would leave the plot stands on its line's other side. `place` gives px in [0, width].
 */
export function placeLines(
  lines: readonly ValueLine[],
  place: (value: number) => number,
  width: number,
): { placed: PlacedLine[]; rows: number } {
  const visible = lines.filter(({ value }) => place(value) >= 0 && place(value) <= width)
  const kinds = [...new Set(visible.map(({ kind }) => kind))]
  const takenTo = kinds.map(() => Number.NEGATIVE_INFINITY)
  const placed = visible
    .toSorted((a, b) => a.value - b.value)
    .map((line): PlacedLine => {
      const row = kinds.indexOf(line.kind)
      const labelPx = line.label.length * letterPx + gapPx
      const at = place(line.value)
      const anchor = at + labelPx > width ? 'end' : 'start'
      const from = anchor === 'start' ? at : at - labelPx
      if (from < takenTo[row]!) return { ...line, row, anchor, text: '' }
      takenTo[row] = from + labelPx
      return { ...line, row, anchor, text: line.label }
    })
  return { placed, rows: kinds.length }
}

export function valueLineMarks(placed: readonly PlacedLine[], rows: number): Plot.Markish[] {
  const bottomOf = (line: PlacedLine) => -4 - (rows - 1 - line.row) * rowHeightPx
  return [
    ...placed.map((line) =>
      Plot.ruleX([line], {
        x: 'value',
        insetTop: line.text === '' ? 0 : bottomOf(line) - rowHeightPx + 4,
        className: `mark-line-${line.kind}`,
      }),
    ),
    // over all lines, so that none strikes a label through
    ...placed.map((line) =>
      Plot.text([line], {
        x: 'value',
        frameAnchor: 'top',
        lineAnchor: 'bottom',
        text: 'text',
        dx: line.anchor === 'start' ? 3 : -3,
        dy: bottomOf(line),
        textAnchor: line.anchor,
        className: `mark-line-text mark-line-text-${line.kind}`,
      }),
    ),
  ]
}
