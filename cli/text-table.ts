/** Columns are as wide as their widest cell; the first `leftColumns` are left-aligned. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[], leftColumns = 1): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (i < leftColumns ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** Three significant digits below a thousand, whole numbers above; `–` if there is no value. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

export const money = (value: number) =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
