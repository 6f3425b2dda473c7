import type { Spread } from './spread.ts'

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, i) => (i === 0 ? '---' : '--:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** Three significant digits below a thousand, whole numbers with separators above. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

export const spreadFigure = ({ median, min, max }: Spread) => `${figure(median)} (${figure(min)}–${figure(max)})`

/** `–` if there is nothing to compare with. */
export const ratio = (value: number, to: number | undefined) =>
  to === undefined ? '–' : `${Number((value / to).toPrecision(2))}×`

export const percent = (share: number) => (Number.isFinite(share) ? `${Number((share * 100).toPrecision(3))} %` : '–')

/** `–` if it was not measured. */
export const times = (spread: Spread | undefined) =>
  spread ? `${figure(spread.median)} × (${figure(spread.min)}–${figure(spread.max)})` : '–'

/** For goals; undefined if it was not measured. */
export const met = (isMet: boolean | undefined) => (isMet === undefined ? 'not measured' : isMet ? '**yes**' : '**no**')
