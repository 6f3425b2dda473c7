import * as Plot from '@observablehq/plot'
import type { Leg } from '../../../../../vocabulary/leg.ts'

/** A value marked on a distribution: a quantile of one side or of the whole, or a limit of the policy. */
export interface ValueLine {
  kind: Leg | 'whole' | 'limit'
  value: number
  label: string
  /** Lines with the same name share a row of labels; by default, lines of the same kind do. */
  labelsWith?: string
}

interface PlacedLine extends ValueLine {
  /** Row of the label above the plot; 0 is the top. */
  row: number
  anchor: 'start' | 'end'
  /** Label for this line and those joined to it; '' if another line has the label or there is no room. */
  text: string
}

const rowHeightPx = 14
/** Letter width of the widest font that the page may use. */
const letterPx = 7.4
/** Gap between line and label, including the label's background. */
const gapPx = 7

export const marginTopOf = (rows: number) => 10 + rows * rowHeightPx

interface LineInPx extends ValueLine {
  at: number
}

/**
 * The label of one line, or of several adjacent ones: then it is written once, right of the first or left of the last.
 */
interface Label {
  lines: readonly LineInPx[]
  anchor: PlacedLine['anchor']
}

/**
 * Assigns labels to lines: one row per kind, or as `labelsWith` says, from the top. Labels go to the right of their
 * lines. A label that would leave the plot or touch the next goes to the left; if that does not help, labels are
 * joined, and as a last resort one is omitted. `place` returns px in [0, width].
 */
export function placeLines(
  lines: readonly ValueLine[],
  place: (value: number) => number,
  width: number,
): { placed: PlacedLine[]; rows: number } {
  const visible = lines
    .map((line): LineInPx => ({ ...line, at: place(line.value) }))
    .filter(({ at }) => at >= 0 && at <= width)
  const names = [...new Set(visible.map(nameOf))]
  const sorted = visible.toSorted((a, b) => a.at - b.at)
  const labels = names.flatMap(
    (name) =>
      arrange(
        sorted.filter((line) => nameOf(line) === name),
        width,
      ).labels,
  )
  const placed = sorted.map((line): PlacedLine => {
    const label = labels.find((each) => bearerOf(each) === line)
    return {
      ...line,
      row: names.indexOf(nameOf(line)),
      anchor: label?.anchor ?? 'start',
      text: label ? textOf(label) : '',
    }
  })
  return { placed, rows: names.length }
}

const nameOf = ({ labelsWith, kind }: ValueLine) => labelsWith ?? kind

interface Arrangement {
  labels: readonly Label[]
  cost: number
}

/** A joined label with more parts would be unreadable. */
const joinedMax = 4
const costs = { atTheLeft: 1, joined: 10, leftOut: 100 }

/** The cheapest labelling of one row's lines, in ascending order; memoised by first line and free position. */
function arrange(lines: readonly LineInPx[], width: number): Arrangement {
  const choices = lines.map((_, first) => choicesFrom(lines, first, width))
  const known = lines.map(() => new Map<number, Arrangement>())
  const from = (first: number, free: number): Arrangement => {
    if (first === lines.length) return { labels: [], cost: 0 }
    const arrangement = known[first]!.get(free) ?? bestFrom(first, free)
    known[first]!.set(free, arrangement)
    return arrangement
  }
  const bestFrom = (first: number, free: number): Arrangement => {
    const without = from(first + 1, free)
    let best: Arrangement = { ...without, cost: without.cost + costs.leftOut }
    for (const { label, start, end, cost } of choices[first]!) {
      if (start < free) continue
      const rest = from(first + label.lines.length, end)
      if (cost + rest.cost < best.cost) best = { labels: [label, ...rest.labels], cost: cost + rest.cost }
    }
    return best
  }
  return from(0, 0)
}

/** The labels that begin with this line and fit inside the plot, with their extent in px. */
function choicesFrom(lines: readonly LineInPx[], first: number, width: number) {
  const joined = Array.from({ length: Math.min(joinedMax, lines.length - first) }, (_, k) => k + 1)
  return joined
    .flatMap((count) =>
      (['start', 'end'] as const).map((anchor) => ({ lines: lines.slice(first, first + count), anchor })),
    )
    .map((label) => {
      const start = startOf(label)
      const cost = costs.joined * (label.lines.length - 1) + (label.anchor === 'end' ? costs.atTheLeft : 0)
      return { label, start, end: start + widthOf(label), cost }
    })
    .filter(({ end }) => end <= width)
}

const textOf = ({ lines }: Label) => [...new Set(lines.map(({ label }) => label))].join(' · ')
const widthOf = (label: Label) => textOf(label).length * letterPx + gapPx
const bearerOf = ({ lines, anchor }: Label) => (anchor === 'start' ? lines[0]! : lines.at(-1)!)
const startOf = (label: Label) => bearerOf(label).at - (label.anchor === 'start' ? 0 : widthOf(label))

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
    // drawn above all lines, so that none crosses a label out
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
