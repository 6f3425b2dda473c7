import * as Plot from '@observablehq/plot'
import type { HistogramPair } from '../../../../../vocabulary/api/histogram.ts'
import type { PsiParts } from '../../../../../vocabulary/api/psi.ts'
import { legs } from '../../../../../vocabulary/leg.ts'
import { formatShare } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'
import { valuePlotWidth } from '../axes/units-axis.ts'
import { valueAxis } from '../axes/value-axis.ts'
import { marginTopOf, placeLines, type ValueLine, valueLineMarks } from '../axes/value-lines.ts'
import { tipBox } from '../frame/tip-box.ts'
import { binNames } from './bin-names.ts'
import { type Bin, histogramShares, isLogarithmic, placeBetween, stepOutline } from './histogram-shares.ts'

interface DistributionPlotInput {
  pair: HistogramPair
  /** Unit of the bins' edges. */
  unit: Unit
  /** Units of the values, if the mapping names them. */
  units?: string | undefined
  lines: readonly ValueLine[]
  psi: Extract<PsiParts, { by: 'decile' }> | null
  width: number
}

/** Relative to the plot's height. */
const stripShare = 0.1

/** Two distributions on shared bins, for pages and dossiers. */
export function distributionPlot({ pair, unit, units, lines, psi, width }: DistributionPlotInput): Plot.PlotOptions {
  const logarithmic = isLogarithmic(pair.edges)
  const bins = histogramShares(pair)
  const names = binNames(pair.edges.slice(1, -1), unit)
  const [from, to] = [pair.edges[0]!, pair.edges.at(-1)!]
  const highest = Math.max(...bins.flatMap((bin) => legs.map((leg) => bin[leg] / bin.width)))
  const plotWidth = valuePlotWidth(width)
  const place = placeBetween(pair.edges)
  const { placed, rows } = placeLines(lines, (value) => place(value) * plotWidth, plotWidth)
  const axis = valueAxis({ domain: [from, to], isLogarithmic: logarithmic, unit, units, width })
  return {
    ...axis,
    marginTop: marginTopOf(rows),
    y: { axis: null, domain: [psi ? -stripShare * 1.35 * highest : 0, highest] },
    marks: [
      ...axis.marks,
      ...(psi ? psiStrip(psi, unit, [from, to], highest) : []),
      Plot.ruleY([0], { className: 'mark-base' }),
      ...legs.flatMap((leg) => [
        Plot.areaY(stepOutline(bins, leg), { x: 'x', y1: 0, y2: 'y', className: `mark-area-${leg}` }),
        Plot.lineY(stepOutline(bins, leg), { x: 'x', y: 'y', className: `mark-${leg}` }),
      ]),
      ...valueLineMarks(placed, rows),
      Plot.tip(
        bins,
        Plot.pointerX({
          x: (bin: Bin) => (logarithmic ? Math.sqrt(bin.from * bin.to) : (bin.from + bin.to) / 2),
          y: (bin: Bin) => Math.max(bin.primary, bin.candidate) / bin.width,
          title: (bin: Bin, index: number) =>
            `${names[index]}\nprimary    ${formatShare(bin.primary)}\ncandidate  ${formatShare(bin.candidate)}`,
          ...tipBox,
        }),
      ),
    ],
  }
}

/**
 * The index has its own bins, between the primary's deciles; the outer two extend to the ends of the picture. A decile of
 * counts is itself a count, whose bar begins half a count before it.
 */
function psiStrip(psi: Extract<PsiParts, { by: 'decile' }>, unit: Unit, [from, to]: [number, number], highest: number) {
  const clip = (value: number) => Math.min(to, Math.max(from, value))
  const edges = psi.edges.map((edge) => clip(unit === 'count' ? Math.round(edge) - 0.5 : edge))
  const strip = psi.parts.map((part, index) => ({
    x1: edges[index - 1] ?? from,
    x2: edges[index] ?? to,
    share: psi.psi > 0 ? part / psi.psi : 0,
  }))
  const y = { y1: -0.3 * stripShare * highest, y2: -1.3 * stripShare * highest }
  const wide = strip.filter(({ x1, x2 }) => x2 > x1)
  return [
    Plot.rect(wide, {
      x1: 'x1',
      x2: 'x2',
      ...y,
      insetLeft: 0.5,
      insetRight: 0.5,
      className: 'mark-psi',
      fillOpacity: ({ share }: { share: number }) => 0.08 + 0.8 * share,
      title: ({ share }: { share: number }) => `${formatShare(share)} of the PSI`,
    }),
  ]
}
