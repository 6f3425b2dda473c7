import * as Plot from '@observablehq/plot'
import { useCallback } from 'preact/hooks'
import type { HistogramPair } from '../../../../vocabulary/api.ts'
import { formatShare } from '../format/number.ts'
import { type Bin, histogramShares, stepOutline } from './histogram-shares.ts'
import { LegLegend } from './leg-legend.tsx'
import { legs } from './legs.ts'
import { PlotFigure } from './plot-figure.tsx'

interface DistributionChartProps {
  title: string
  pair: HistogramPair
  logarithmic?: boolean
  /** Of a bin's edge. Must be stable. */
  format: (value: number) => string
}

/** Both legs over the same bins; each leg's area is its whole, so the shapes compare. Shares are in the tooltip and table. */
export function DistributionChart({ title, pair, logarithmic = false, format }: DistributionChartProps) {
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const bins = histogramShares(pair, logarithmic)
      return {
        marginLeft: 16,
        x: {
          type: logarithmic ? 'log' : 'linear',
          domain: [bins[0]?.from ?? 1, bins.at(-1)?.to ?? 2],
          label: null,
          ticks: Math.max(2, Math.floor(width / 110)),
          tickFormat: (value: number) =>
            format(value)
              .replace(/\.0+(?= |$)/, '')
              .replace(/(\.\d*?)0+(?= |$)/, '$1'),
        },
        y: { axis: null, zero: true },
        marks: [
          Plot.ruleY([0], { className: 'mark-base' }),
          ...legs.flatMap((leg) => [
            Plot.areaY(stepOutline(bins, leg), { x: 'x', y1: 0, y2: 'y', className: `mark-area-${leg}` }),
            Plot.lineY(stepOutline(bins, leg), { x: 'x', y: 'y', className: `mark-${leg}` }),
          ]),
          Plot.tip(
            bins,
            Plot.pointerX({
              x: (bin: Bin) => (logarithmic ? Math.sqrt(bin.from * bin.to) : (bin.from + bin.to) / 2),
              y: (bin: Bin) => Math.max(bin.primary, bin.candidate) / bin.width,
              title: (bin: Bin) =>
                `${format(bin.from)} to ${format(bin.to)}\nprimary    ${formatShare(bin.primary)}\ncandidate  ${formatShare(bin.candidate)}`,
              textPadding: 10,
              lineHeight: 1.4,
            }),
          ),
        ],
      }
    },
    [pair, logarithmic, format],
  )
  return (
    <PlotFigure
      title={title}
      summary={`${title}: primary and candidate on ${pair.edges.length - 1} shared bins.`}
      height={240}
      options={options}
      legend={<LegLegend />}
      table={() => ({
        columns: ['Bin', 'Primary', 'Candidate', 'Primary share', 'Candidate share'],
        rows: histogramShares(pair, false).map((bin, index) => [
          `${format(bin.from)} to ${format(bin.to)}`,
          String(pair.primary[index] ?? 0),
          String(pair.candidate[index] ?? 0),
          formatShare(bin.primary),
          formatShare(bin.candidate),
        ]),
      })}
    />
  )
}
