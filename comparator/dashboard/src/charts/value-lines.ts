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

/** A label that is written, with where its line stands, px. */
interface Label extends PlacedLine {
  at: number
}

/**
 * Which label each line has, and where: a row a kind, from the top. One that would leave the plot stands on its line's
 * other side, and so does one that would touch the next; where that does not help, the next one is left out. `place`
 * gives px in [0, width].
 */
export function placeLines(
  lines: readonly ValueLine[],
  place: (value: number) => number,
  width: number,
): { placed: PlacedLine[]; rows: number } {
  const visible = lines.filter(({ value }) => place(value) >= 0 && place(value) <= width)
  const kinds = [...new Set(visible.map(({ kind }) => kind))]
  const written = kinds.map((): Label[] => [])
  const placed = visible
    .toSorted((a, b) => a.value - b.value)
    .map((line): Label => {
      const row = kinds.indexOf(line.kind)
      const at = place(line.value)
      const anchor = at + widthOf(line) > width ? 'end' : 'start'
      const label: Label = { ...line, row, anchor, text: line.label, at }
      const [last, beforeLast] = written[row]!.slice(-2).reverse()
      if (last && touches(last, label)) makeRoom(last, beforeLast)
      if (last && touches(last, label)) return { ...label, text: '' }
      written[row]!.push(label)
      return label
    })
  return { placed, rows: kinds.length }
}

const widthOf = ({ label }: ValueLine) => label.length * letterPx + gapPx
const startOf = (label: Label) => (label.anchor === 'start' ? label.at : label.at - widthOf(label))
const endOf = (label: Label) => startOf(label) + widthOf(label)
const touches = (label: Label, next: Label) => startOf(next) < endOf(label)

/** On the other side of its line, if that is free. */
function makeRoom(label: Label, before: Label | undefined): void {
  const turned: Label = { ...label, anchor: 'end' }
  if (startOf(turned) >= (before === undefined ? 0 : endOf(before))) label.anchor = 'end'
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
