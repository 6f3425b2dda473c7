import * as Plot from '@observablehq/plot'
import { useCallback } from 'preact/hooks'
import type { PsiParts } from '../../../../../vocabulary/api/psi.ts'
import { formatColumnShare, formatShare, formatTiny } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'
import { clipText } from '../frame/clip-text.ts'
import { LegLegend } from '../frame/leg-legend.tsx'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { tipBox } from '../frame/tip-box.ts'
import { type PsiRow, psiRows } from './psi-rows.ts'

/** The most rows a reader can take in; the table has all of them. */
const rowsMax = 12
const rowHeight = 24
const marginTop = 34
const marginBottom = 28
const marginRight = 78
const letterPx = 6.6

interface PsiChartProps {
  title: string
  psi: PsiParts
  /** `psi.psi` rounded to the precision of its bound. */
  indexText: string
  /** Unit of the bins' edges. */
  unit: Unit
}

/** Each side's share of every class or bin, and what the difference contributes to the index. */
export function PsiChart({ title, psi, indexText, unit }: PsiChartProps) {
  const all = psiRows(psi, unit)
  const height = marginTop + Math.min(all.length, rowsMax) * rowHeight + marginBottom
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const rows = psiRows(psi, unit).slice(0, rowsMax)
      const lettersMax = Math.floor((width * 0.36) / letterPx)
      const marginLeft = 12 + letterPx * Math.min(lettersMax, Math.max(...rows.map(({ name }) => name.length)))
      const shares = rows.flatMap(({ primary, candidate }) => [primary, candidate])
      const [least, greatest] = [Math.min(...shares), Math.max(...shares)]
      const y = { y: 'key' } as const
      return {
        marginTop,
        marginBottom,
        marginLeft,
        marginRight,
        x: {
          label: null,
          grid: true,
          zero: least < 0.5 * greatest || least === greatest,
          nice: true,
          ticks: Math.max(2, Math.floor((width - marginLeft - marginRight) / 70)),
          tickFormat: (share: number) => percent(share),
        },
        y: {
          type: 'band',
          label: null,
          domain: rows.map(({ key }) => key),
          tickSize: 0,
          tickFormat: (key: number) => clipText(rows.find((row) => row.key === key)!.name, lettersMax),
        },
        marks: [
          Plot.ruleY(rows, { ...y, x1: 'primary', x2: 'candidate', className: 'mark-link' }),
          Plot.dot(rows, { ...y, x: 'primary', r: 5.5, className: 'mark-dot-primary' }),
          Plot.dot(rows, { ...y, x: 'candidate', r: 4.2, symbol: 'diamond', className: 'mark-dot-candidate' }),
          Plot.text(['of the PSI'], {
            frameAnchor: 'top-right',
            dx: marginRight - 4,
            dy: -10,
            textAnchor: 'end',
            lineAnchor: 'bottom',
            className: 'mark-head',
          }),
          Plot.text(rows, {
            ...y,
            frameAnchor: 'right',
            dx: marginRight - 4,
            textAnchor: 'end',
            text: ({ share }: PsiRow) => formatColumnShare(share),
            className: 'mark-figure',
          }),
          Plot.tip(
            rows,
            Plot.pointerY({
              ...y,
              x: 'candidate',
              title: (row: PsiRow) =>
                `${row.name}\nprimary    ${formatShare(row.primary)}\ncandidate  ${formatShare(row.candidate)}\nadds ${formatTiny(row.part)} to the PSI`,
              ...tipBox,
            }),
          ),
        ],
      }
    },
    [psi, unit],
  )
  const more = all.length - rowsMax
  return (
    <PlotFigure
      title={title}
      summary={`${title}: population stability index ${indexText}, of which ${all
        .toSorted((a, b) => b.part - a.part)
        .slice(0, 3)
        .map(({ name, share }) => `${name} ${formatShare(share)}`)
        .join(', ')}.`}
      height={height}
      options={options}
      legend={
        <LegLegend>
          <li>PSI {indexText}</li>
          {more > 0 && <li>{more} more in the table</li>}
        </LegLegend>
      }
      table={() => ({
        columns: [psi.by === 'class' ? 'Class' : 'Bin', 'Primary share', 'Candidate share', 'Adds to the PSI', 'Share'],
        rows: all.map(({ name, primary, candidate, part, share }) => [
          name,
          { text: formatShare(primary), value: primary },
          { text: formatShare(candidate), value: candidate },
          { text: formatTiny(part), value: part },
          { text: formatShare(share), value: share },
        ]),
      })}
    />
  )
}

const percent = (share: number) => (share === 0 ? '0' : `${Number((share * 100).toFixed(2))} %`)
