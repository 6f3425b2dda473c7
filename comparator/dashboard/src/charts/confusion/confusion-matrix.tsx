import * as Plot from '@observablehq/plot'
import { useCallback } from 'preact/hooks'
import { formatColumnShare, formatCompact, formatCount, formatCounted, formatShare } from '../../format/number.ts'
import { clipText } from '../frame/clip-text.ts'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { tipBox } from '../frame/tip-box.ts'
import { type Confusion, type ConfusionCell, confusionCells, labelTotals, totalOf } from './confusion-cells.ts'
import { type MatrixLayout, matrixLayout } from './matrix-layout.ts'

/** Rows are the primary's labels, columns the candidate's. Disagreements are dark; agreement is outlined. */
export function ConfusionMatrix({ confusion }: { confusion: Confusion }) {
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const layout = matrixLayout(confusion, width)
      return {
        ...layout.frame,
        padding: 0,
        x: { type: 'band', axis: null, domain: confusion.labels.map((_, i) => i) },
        y: { type: 'band', axis: null, domain: confusion.labels.map((_, i) => i) },
        marks: [...cellMarks(confusion, layout), ...axisMarks(confusion, layout), ...totalMarks(confusion, layout)],
      }
    },
    [confusion],
  )
  const totals = labelTotals(confusion)
  const total = totalOf(confusion)
  const agreed = totals.reduce((sum, label) => sum + label.agreed, 0)
  return (
    <PlotFigure
      title="Labels, primary against candidate"
      summary={`Confusion matrix of ${confusion.labels.length} labels: ${formatCount(agreed)} of ${formatCount(total)} predictions agree, ${formatCount(total - agreed)} differ.`}
      height={240}
      options={options}
      legend={
        <span class="muted">
          {formatCount(total - agreed)} of {formatCount(total)} differ, {formatShare(total > 0 ? agreed / total : 0)}{' '}
          agree
        </span>
      }
      table={() => ({
        columns: ['Primary ↓ candidate →', ...confusion.labels, 'Primary’s total', 'Agreement'],
        rows: [
          ...confusion.counts.map((row, i) => [
            confusion.labels[i]!,
            ...row.map((count) => ({ text: formatCount(count), value: count })),
            { text: formatCount(totals[i]!.primary), value: totals[i]!.primary },
            { text: agreementText(totals[i]!.agreement), value: totals[i]!.agreement },
          ]),
          [
            'Candidate’s total',
            ...totals.map(({ candidate }) => ({ text: formatCount(candidate), value: candidate })),
            { text: formatCount(total), value: total },
            { text: formatShare(total > 0 ? agreed / total : 0), value: total > 0 ? agreed / total : null },
          ],
        ],
      })}
    />
  )
}

function cellMarks(confusion: Confusion, { cellText, cellDigits, inset }: MatrixLayout): Plot.Markish[] {
  const cells = confusionCells(confusion)
  const same = cells.filter(({ row, column }) => row === column)
  const apart = cells.filter(({ row, column }) => row !== column)
  const at = { x: 'column', y: 'row' } as const
  // small cells are distinguished by colour alone
  const isWritten = cellText !== 'none'
  const every = confusion.labels.flatMap((_, row) => confusion.labels.map((__, column) => ({ row, column })))
  return [
    ...(inset > 0
      ? [Plot.cell(every, { ...at, inset, className: 'mark-cell' })]
      : [Plot.frame({ className: 'mark-cell' })]),
    Plot.cell(same, {
      ...at,
      inset,
      className: isWritten ? 'mark-cell-same mark-cell-outlined' : 'mark-cell-same',
      fillOpacity: ({ share }: ConfusionCell) => (isWritten ? 0.04 * share : 0.2 + 0.25 * share),
    }),
    Plot.cell(apart, {
      ...at,
      inset,
      className: 'mark-cell-apart',
      fillOpacity: ({ share }: ConfusionCell) => (isWritten ? 0.26 : 0.5) + 0.5 * Math.sqrt(share),
    }),
    ...(cellText === 'none'
      ? []
      : [
          Plot.text(cells, {
            ...at,
            text: ({ count }: ConfusionCell) => (cellText === 'full' ? formatCount(count) : formatCompact(count)),
            className: `mark-cell-text mark-cell-text-${cellDigits}`,
          }),
        ]),
    Plot.tip(
      cells,
      Plot.pointer({
        ...at,
        title: ({ row, column, count, share }: ConfusionCell) =>
          `primary    ${clipText(confusion.labels[row]!, 40)}\ncandidate  ${clipText(confusion.labels[column]!, 40)}\n${formatCounted(count, 'prediction')}, ${formatShare(share)} of the row`,
        ...tipBox,
      }),
    ),
  ]
}

/** Every label if there is room, otherwise every fifth, tenth, … */
function axisMarks({ labels }: Confusion, layout: MatrixLayout): Plot.Markish[] {
  const rows = labels.map((_, i) => i).filter((i) => i % layout.rowEvery === 0)
  const columns = labels.map((_, i) => i).filter((i) => i % layout.columnEvery === 0)
  return [
    Plot.text(rows, {
      y: (i: number) => i,
      frameAnchor: 'left',
      dx: -6,
      textAnchor: 'end',
      text: (i: number) => clipText(labels[i]!, layout.rowLettersMax),
      className: 'mark-axis-text',
    }),
    Plot.text(columns, {
      x: (i: number) => i,
      frameAnchor: 'top',
      dy: -6,
      ...(layout.turned
        ? { rotate: -90, textAnchor: 'start', lineAnchor: 'middle' }
        : { textAnchor: 'middle', lineAnchor: 'bottom' }),
      text: (i: number) => clipText(labels[i]!, layout.columnLettersMax),
      className: 'mark-axis-text',
    }),
    Plot.text(['candidate →'], {
      frameAnchor: 'top-left',
      dy: -layout.frame.marginTop + 12,
      className: 'mark-text-candidate',
      textAnchor: 'start',
    }),
    Plot.text(['primary ↓'], {
      frameAnchor: 'top-left',
      dx: -6,
      dy: -layout.frame.marginTop + 12,
      textAnchor: 'end',
      className: 'mark-text-primary',
    }),
  ]
}

function totalMarks(confusion: Confusion, { totals: hasTotals, columnTotals }: MatrixLayout): Plot.Markish[] {
  if (!hasTotals) return []
  const totals = labelTotals(confusion).map((label, i) => ({ ...label, i }))
  type Total = (typeof totals)[number]
  const beside = { y: 'i', frameAnchor: 'right', textAnchor: 'end' } as const
  const head = {
    frameAnchor: 'top-right',
    textAnchor: 'end',
    lineAnchor: 'bottom',
    dy: -6,
    className: 'mark-head',
  } as const
  const [countDx, shareDx] = [52, 118]
  return [
    Plot.text(['total'], { ...head, dx: countDx }),
    Plot.text(['agree'], { ...head, dx: shareDx }),
    Plot.text(totals, {
      ...beside,
      dx: countDx,
      text: ({ primary }: Total) => formatCompact(primary),
      className: 'mark-figure',
    }),
    Plot.text(totals, {
      ...beside,
      dx: shareDx,
      text: ({ agreement }: Total) => agreementText(agreement),
      className: 'mark-figure mark-figure-strong',
    }),
    ...(columnTotals === 'none'
      ? []
      : [
          Plot.text(totals, {
            x: 'i',
            frameAnchor: 'bottom',
            lineAnchor: 'top',
            dy: 8,
            text: ({ candidate }: Total) => formatCompact(candidate),
            className: `mark-figure mark-figure-${columnTotals}`,
          }),
          Plot.text(['total'], {
            frameAnchor: 'bottom-left',
            dx: -6,
            dy: 8,
            textAnchor: 'end',
            lineAnchor: 'top',
            className: 'mark-head',
          }),
        ]),
  ]
}

function agreementText(agreement: number | null): string {
  return agreement === null ? '–' : formatColumnShare(agreement)
}
