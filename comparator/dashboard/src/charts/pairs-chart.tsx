import * as Plot from '@observablehq/plot'
import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import type { PairsView } from '../../../../vocabulary/pairs.ts'
import { formatCount, formatPlain } from '../format/number.ts'
import { PlotFigure } from './plot-figure.tsx'
import { shortTick } from './short-tick.ts'

type Pair = PairsView['pairs'][number]

/** From so many points on, dots would cover each other: hexagons count them. */
const hexagonsFrom = 1500
const height = 320

interface PairsChartProps {
  title: string
  pairs: Pair[]
  units: string | null
  note?: ComponentChildren
}

/** The primary's answer against the candidate's; where they agree, a point lies on the identity line. */
export function PairsChart({ title, pairs, units, note }: PairsChartProps) {
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const domain = domainOf(pairs)
      const axis = {
        domain,
        nice: false,
        grid: true,
        ticks: Math.max(3, Math.floor(width / 110)),
        tickFormat: (value: number) => shortTick(formatPlain(value)),
      }
      const at = { x: 'primary', y: 'candidate' } as const
      return {
        marginLeft: 60,
        marginBottom: 44,
        marginTop: 24,
        x: { ...axis, label: `primary${units ? `, ${units}` : ''} →`, labelAnchor: 'right', labelArrow: 'none' },
        y: { ...axis, ticks: 5, label: `↑ candidate${units ? `, ${units}` : ''}`, labelArrow: 'none' },
        marks: [
          Plot.line(
            domain.map((value) => [value, value]),
            { className: 'mark-identity' },
          ),
          pairs.length >= hexagonsFrom
            ? Plot.dot(pairs, Plot.hexbin({ fillOpacity: 'count' }, { ...at, binWidth: 12, className: 'mark-pair' }))
            : Plot.dot(pairs, { ...at, r: 2.75, className: 'mark-pair' }),
          Plot.tip(
            pairs,
            Plot.pointer({
              ...at,
              title: ({ primary, candidate }: Pair) =>
                `primary    ${formatPlain(primary)}\ncandidate  ${formatPlain(candidate)}\ndifference ${formatPlain(candidate - primary)}`,
              textPadding: 10,
              lineHeight: 1.4,
            }),
          ),
        ],
      }
    },
    [pairs, units],
  )
  return (
    <PlotFigure
      title={title}
      summary={`${title}: ${formatCount(pairs.length)} exchanges drawn evenly from the window, the primary’s answer across, the candidate’s up.`}
      height={height}
      options={options}
      note={note}
      legend={
        <ul class="legend">
          <li class="key key-pair">an exchange</li>
          <li class="key key-identity">equal answers</li>
        </ul>
      }
      table={() => ({
        columns: ['Observation', 'Primary', 'Candidate', 'Candidate − primary'],
        rows: pairs
          .toSorted((a, b) => Math.abs(b.candidate - b.primary) - Math.abs(a.candidate - a.primary))
          .map(({ id, primary, candidate }) => [
            id,
            ...[primary, candidate, candidate - primary].map((value) => ({ text: formatPlain(value), value })),
          ]),
      })}
    />
  )
}

/** Both axes alike, so that the identity is the diagonal. */
function domainOf(pairs: readonly Pair[]): [number, number] {
  const values = pairs.flatMap(({ primary, candidate }) => [primary, candidate])
  const least = values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY)
  const greatest = values.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY)
  const pad = (greatest - least || Math.abs(greatest) || 1) * 0.04
  return [least - pad, greatest + pad]
}
