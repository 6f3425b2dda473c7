import type { Cell, ChartTableData } from './chart-table.tsx'

/** RFC 4180, with exact values. Texts that a spreadsheet would run as a formula are prefixed with an apostrophe. */
export function csvText({ columns, rows }: ChartTableData): string {
  return `${[columns, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`
}

function csvCell(cell: Cell): string {
  // spaces that keep a number and its unit on one line are of no use in a file
  const value = typeof cell === 'string' ? cell.replaceAll('\u00a0', ' ') : cell.value
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
