import * as Plot from '@observablehq/plot'
import type { Leg } from '../../../../vocabulary/leg.ts'

/** A value that a chart of a distribution points at: a quantile of a side, of the whole, or a limit of the policy. */
export interface ValueLine {
  kind: Leg | 'whole' | 'limit'
  value: number
  label: string
  /** Lines of one such name share a row of labels; where it is left out, those of one kind do. */
  labelsWith?: string
}

interface PlacedLine extends ValueLine {
  /** Labels stand in rows over the plot, 0 at the top. */
  row: number
  anchor: 'start' | 'end'
  /** Of it and those that it speaks for; '' where another does, or where there was no room. */
  text: string
}

const rowHeightPx = 14
/** Of the widest of the faces that the page may be set in. */
const letterPx = 7.4
/** From the line to its label, and behind it the ground that the next one's letters bring along. */
const gapPx = 7

export const marginTopOf = (rows: number) => 10 + rows * rowHeightPx

interface LineInPx extends ValueLine {
  at: number
}

/** Of one line, or of several side by side: then it is written once, at the first's right or at the last's left. */
interface Label {
  lines: readonly LineInPx[]
  anchor: PlacedLine['anchor']
}

/**
 * Which label each line has, and where: a row a kind, or as they say themselves, from the top. Labels stand at their
 * lines' right. Those that would leave the plot or touch the next stand at the left; where that does not help they are
 * written as one; and where there is no room for that either, one is left out. `place` gives px in [0, width].
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

/** More would be read as none of them. */
const joinedMax = 4
const costs = { atTheLeft: 1, joined: 10, leftOut: 100 }

/** The best of all ways to label lines of one row, ascending. What is best from a line on is found once. */
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

/** The labels that begin with a line and end in the plot, with the px that they take. */
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
