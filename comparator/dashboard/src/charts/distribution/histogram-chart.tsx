import * as Plot from '@observablehq/plot'
import type { ComponentChildren } from 'preact'
import { useCallback, useMemo } from 'preact/hooks'
import type { Histogram } from '../../../../../vocabulary/api/histogram.ts'
import { formatCount, formatCounted, formatShare } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'
import { valuePlotWidth } from '../axes/units-axis.ts'
import { valueAxis } from '../axes/value-axis.ts'
import { marginTopOf, placeLines, type ValueLine, valueLineMarks } from '../axes/value-lines.ts'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { tipBox } from '../frame/tip-box.ts'
import { binNames } from './bin-names.ts'
import { histogramBars, isLogarithmic, placeBetween } from './histogram-shares.ts'

interface HistogramChartProps {
  title: string
  summary: string
  histogram: Histogram
  /** Unit of the bins' edges. */
  unit: Unit
  /** Units of the values, if the mapping names them. */
  units?: string | undefined
  /** Must be stable. */
  lines: readonly ValueLine[]
  /** For signed values, how to name those below and above zero. Must be stable. */
  sides?: { under: string; over: string }
  legend?: ComponentChildren
  height?: number
}

type Bar = ReturnType<typeof histogramBars>[number]

/** One sample; for signed values, the part above zero is darker. */
export function HistogramChart(props: HistogramChartProps) {
  const { title, summary, histogram, unit, units, lines, sides, legend, height = 240 } = props
  const names = useMemo(() => binNames(histogram.edges.slice(1, -1), unit), [histogram, unit])
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const { edges } = histogram
      const logarithmic = isLogarithmic(edges)
      const bars = histogramBars(histogram)
      const plotWidth = valuePlotWidth(width)
      const place = placeBetween(edges)
      const { placed, rows } = placeLines(lines, (value) => place(value) * plotWidth, plotWidth)
      const bar = { x1: 'from', x2: 'to', y1: 0, y2: 'density', insetLeft: 0.5, insetRight: 0.5 } as const
      const isOver = ({ from }: Bar) => sides !== undefined && from >= 0
      const hasZero = edges[0]! < 0 && edges.at(-1)! > 0
      const axis = valueAxis({ domain: [edges[0]!, edges.at(-1)!], isLogarithmic: logarithmic, unit, units, width })
      return {
        ...axis,
        marginTop: marginTopOf(rows + (sides ? 1 : 0)),
        y: { axis: null, zero: true },
        marks: [
          ...axis.marks,
          Plot.rect(
            bars.filter((each) => !isOver(each)),
            { ...bar, className: 'mark-bar' },
          ),
          Plot.rect(bars.filter(isOver), { ...bar, className: 'mark-bar mark-bar-over' }),
          Plot.ruleY([0], { className: 'mark-base' }),
          ...(sides && hasZero ? [Plot.ruleX([0], { className: 'mark-zero' })] : []),
          ...(sides ? sideTexts(sides, { rows, width }) : []),
          ...valueLineMarks(placed, rows),
          Plot.tip(
            bars,
            Plot.pointerX({
              x: (each: Bar) => (logarithmic ? Math.sqrt(each.from * each.to) : (each.from + each.to) / 2),
              y: 'density',
              title: (each: Bar, index: number) =>
                `${names[index]}\n${formatCounted(each.count, 'exchange')}, ${formatShare(each.share)}`,
              ...tipBox,
            }),
          ),
        ],
      }
    },
    [histogram, names, unit, units, lines, sides],
  )
  return (
    <PlotFigure
      title={title}
      summary={summary}
      height={height}
      options={options}
      {...(legend !== undefined && { legend })}
      table={() => ({
        columns: ['Bin', 'Exchanges', 'Share'],
        rows: histogramBars(histogram).map(({ count, share }, index) => [
          names[index]!,
          { text: formatCount(count), value: count },
          { text: formatShare(share), value: share },
        ]),
      })}
    />
  )
}

/** In narrower charts there is room for only one of the two names. */
const bothSidesFrom = 320

function sideTexts(
  sides: { under: string; over: string },
  { rows, width }: { rows: number; width: number },
): Plot.Markish[] {
  const dy = -4 - rows * 14
  const text = { lineAnchor: 'bottom', dy, className: 'mark-side-text' } as const
  return [
    Plot.text(width < bothSidesFrom ? [] : [`← ${sides.under}`], { ...text, frameAnchor: 'top-left' }),
    Plot.text([`${sides.over} →`], { ...text, frameAnchor: 'top-right' }),
  ]
}
