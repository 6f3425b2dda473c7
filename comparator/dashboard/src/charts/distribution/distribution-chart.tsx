import { useCallback } from 'preact/hooks'
import type { HistogramPair } from '../../../../../vocabulary/api/histogram.ts'
import type { PsiParts } from '../../../../../vocabulary/api/psi.ts'
import { formatShare, formatValue } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'
import type { ValueLine } from '../axes/value-lines.ts'
import { LegLegend } from '../frame/leg-legend.tsx'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { binNames } from './bin-names.ts'
import { distributionPlot } from './distribution-plot.ts'
import { histogramShares } from './histogram-shares.ts'

interface DistributionChartProps {
  title: string
  pair: HistogramPair
  /** Unit of the bins' edges. */
  unit: Unit
  /** Units of the values, if the mapping names them. */
  units?: string | undefined
  /** Must be stable. */
  lines?: readonly ValueLine[]
  /** Drawn under the bins; each of the index's own bins is as dark as its share of the index. */
  psi?: Extract<PsiParts, { by: 'decile' }> | null
  /** Text of `psi`'s index, rounded to the precision of its bound. */
  indexText?: string
}

const noLines: readonly ValueLine[] = []

/**
 * Both legs over the same bins. Each leg's area is its whole, so the shapes compare. Shares are in the tooltip and the
 * table.
 */
export function DistributionChart({
  title,
  pair,
  unit,
  units,
  lines = noLines,
  psi = null,
  indexText,
}: DistributionChartProps) {
  const options = useCallback(
    (width: number) => distributionPlot({ pair, unit, units, lines, psi, width }),
    [pair, unit, units, lines, psi],
  )
  const named = lines.map(({ kind, label, value }) =>
    kind === 'limit' ? label : `${kind} ${label} ${formatValue(value, unit)}`,
  )
  const names = binNames(pair.edges.slice(1, -1), unit)
  const limits = lines.filter(({ kind }) => kind === 'limit')
  const isBeyond = ({ value }: ValueLine) => value < pair.edges[0]! || value > pair.edges.at(-1)!
  return (
    <PlotFigure
      title={title}
      summary={[`${title}: primary and candidate on ${pair.edges.length - 1} shared bins`, ...named].join(', ')}
      height={240}
      options={options}
      legend={
        <LegLegend>
          {psi && <li class="key key-psi">share of the PSI, {indexText}</li>}
          {limits.some((line) => !isBeyond(line)) && <li class="key key-limit">limit</li>}
          {limits.filter(isBeyond).map(({ label }) => (
            <li key={label}>{label}, beyond the scale</li>
          ))}
        </LegLegend>
      }
      table={() => ({
        columns: ['Bin', 'Primary', 'Candidate', 'Primary share', 'Candidate share'],
        rows: histogramShares(pair).map((bin, index) => [
          names[index]!,
          String(pair.primary[index]),
          String(pair.candidate[index]),
          { text: formatShare(bin.primary), value: bin.primary },
          { text: formatShare(bin.candidate), value: bin.candidate },
        ]),
      })}
    />
  )
}
