import { formatCompact, formatCount } from '../../format/number.ts'
import { type Confusion, labelTotals } from './confusion-cells.ts'

/** How a matrix of 2 to 100 labels fits into a width. */
export interface MatrixLayout {
  frame: { height: number; marginTop: number; marginBottom: number; marginLeft: number; marginRight: number }
  /** Counts in the cells in full, abbreviated, or only as colours with a tooltip. */
  cellText: 'full' | 'compact' | 'none'
  cellDigits: keyof typeof digitsPx
  /** Gap between cells in px. */
  inset: number
  /** Writes the label of every nth row and column. */
  rowEvery: number
  columnEvery: number
  /** Maximum letters of a row's label, and of a column's. */
  rowLettersMax: number
  columnLettersMax: number
  /** Whether column labels are vertical. */
  turned: boolean
  /** Whether row totals are drawn; the table always has them. */
  totals: boolean
  /** Digit size of the column totals, drawn only if each fits under its column. */
  columnTotals: keyof typeof digitsPx | 'none'
}

const letterPx = 6.4
/** Widths of a digit in a cell: comfortable, and the smallest that is legible. */
const digitsPx = { usual: 6.8, small: 5.8 } as const
const totalsWidth = 122
const cellHeightMax = 34
const cellWidthMax = 96
/** What a cell keeps beside long labels: room for a count of five digits. */
const cellWidthKept = 48
const linePx = 13
const steps = [1, 2, 5, 10, 20, 25, 50]

export function matrixLayout(confusion: Confusion, width: number): MatrixLayout {
  const { labels, counts } = confusion
  const n = labels.length
  const longest = Math.max(...labels.map((label) => [...label].length))
  const lettersIn = (roomPx: number) => Math.max(3, Math.min(longest, Math.floor(roomPx / letterPx)))
  const columnLettersMax = lettersIn(width * 0.24)
  // few rows leave room for whole labels beside them
  const rowLettersMax = Math.max(columnLettersMax, lettersIn(width - totalsWidth - n * cellWidthKept - 12))
  const labelPx = columnLettersMax * letterPx
  const marginLeft = Math.max(62, rowLettersMax * letterPx + 12)
  // totals are shown only if the cells stay at least `linePx` wide
  const totals = (width - marginLeft - totalsWidth) / n >= linePx
  const marginRight = totals ? totalsWidth : 8
  const cell = Math.min(cellWidthMax, (width - marginLeft - marginRight) / n)
  const cellHeight = Math.max(2.5, Math.min(cellHeightMax, cell))
  const turned = labelPx + 6 > cell
  const marginTop = 24 + (turned ? labelPx + 10 : 18)
  const written = labelTotals(confusion).map(({ candidate }) => formatCompact(candidate))
  const columnTotals = totals
    ? (['usual', 'small'] as const).find((digits) => allFit(written, digits, cell))
    : undefined
  const marginBottom = columnTotals ? 30 : 8
  const greatest = counts.flat().reduce((most, count) => Math.max(most, count), 0)
  const cellText = cellHeight < linePx ? undefined : writtenAs(greatest, cell)
  return {
    frame: {
      height: marginTop + n * cellHeight + marginBottom,
      marginTop,
      marginBottom,
      marginLeft,
      // narrow matrices are left-aligned, so that their cells stay roughly square
      marginRight: width - marginLeft - n * cell,
    },
    cellText: cellText?.as ?? 'none',
    cellDigits: cellText?.digits ?? 'usual',
    inset: cellHeight >= 10 ? 0.75 : 0,
    rowEvery: steps.find((step) => step * cellHeight >= linePx) ?? 100,
    columnEvery: steps.find((step) => step * cell >= (turned ? linePx : labelPx + 6)) ?? 100,
    rowLettersMax,
    columnLettersMax,
    turned,
    totals,
    columnTotals: columnTotals ?? 'none',
  }
}

/** How to write the largest count in a cell of this width, in the best form that fits. */
function writtenAs(count: number, width: number) {
  const ways = [
    { as: 'full', digits: 'usual', text: formatCount(count) },
    { as: 'compact', digits: 'usual', text: formatCompact(count) },
    { as: 'compact', digits: 'small', text: formatCompact(count) },
  ] as const
  return ways.find(({ text, digits }) => allFit([text], digits, width))
}

function allFit(texts: readonly string[], digits: keyof typeof digitsPx, width: number): boolean {
  return texts.every((text) => text.length * digitsPx[digits] + 4 <= width)
}
