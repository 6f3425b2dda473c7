import * as Plot from '@observablehq/plot'
import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import type { PairsView } from '../../../../../vocabulary/api/pairs.ts'
import { formatCounted, formatPlain } from '../../format/number.ts'
import { axisTicks } from '../axes/axis-ticks.ts'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { tipBox } from '../frame/tip-box.ts'

type Pair = PairsView['pairs'][number]

/** From this many points on, hexagons count the points, because dots would overlap. */
const hexagonsFrom = 300
const hexagonPx = 13
export const pairsHeight = 320

interface PairsChartProps {
  title: string
  pairs: Pair[]
  units: string | null
  note?: ComponentChildren
}

/** The primary's answers against the candidate's; points on the identity line agree. */
export function PairsChart({ title, pairs, units, note }: PairsChartProps) {
  const isDense = pairs.length >= hexagonsFrom
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const domain = domainOf(pairs)
      const axis = {
        domain,
        nice: false,
        grid: true,
        ticks: Math.max(3, Math.floor(width / 110)),
        tickFormat: axisTicks('none'),
      }
      const at = { x: 'primary', y: 'candidate' } as const
      const byHexagon = { ...at, binWidth: hexagonPx }
      return {
        marginLeft: 60,
        marginBottom: 44,
        marginTop: 24,
        x: { ...axis, label: `primary${units ? `, ${units}` : ''} →`, labelAnchor: 'right', labelArrow: 'none' },
        // even a single point must be visible
        opacity: { type: 'sqrt', range: [0.16, 0.95] },
        y: { ...axis, ticks: 5, label: `↑ candidate${units ? `, ${units}` : ''}`, labelArrow: 'none' },
        marks: [
          Plot.line(
            domain.map((value) => [value, value]),
            { className: 'mark-identity' },
          ),
          ...(isDense
            ? [
                Plot.hexagon(pairs, Plot.hexbin({ fillOpacity: 'count' }, { ...byHexagon, className: 'mark-hexagon' })),
                Plot.tip(pairs, Plot.pointer(Plot.hexbin({ title: hexagonText }, { ...byHexagon, ...tipBox }))),
              ]
            : [
                Plot.dot(pairs, { ...at, r: 2.75, className: 'mark-pair' }),
                Plot.tip(pairs, Plot.pointer({ ...at, title: pairText, ...tipBox })),
              ]),
        ],
      }
    },
    [pairs, units, isDense],
  )
  return (
    <PlotFigure
      title={title}
      summary={`${title}: ${formatCounted(pairs.length, 'exchange')} drawn evenly from the window, the primary’s answer across, the candidate’s up.`}
      height={pairsHeight}
      options={options}
      note={note}
      legend={
        <ul class="legend">
          {isDense ? (
            <li class="key key-hexagon">stronger: more exchanges</li>
          ) : (
            <li class="key key-pair">an exchange</li>
          )}
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

function pairText({ primary, candidate }: Pair): string {
  return `primary    ${formatPlain(primary)}\ncandidate  ${formatPlain(candidate)}\ndifference ${formatPlain(candidate - primary)}`
}

function hexagonText(within: readonly Pair[]): string {
  if (within.length === 1) return pairText(within[0]!)
  const span = (leg: 'primary' | 'candidate') => {
    const values = within.map((pair) => pair[leg])
    return `${formatPlain(Math.min(...values))} to ${formatPlain(Math.max(...values))}`
  }
  return `${formatCounted(within.length, 'exchange')}\nprimary    ${span('primary')}\ncandidate  ${span('candidate')}`
}

/** Both axes have the same domain, so that the identity is the diagonal. */
function domainOf(pairs: readonly Pair[]): [number, number] {
  const values = pairs.flatMap(({ primary, candidate }) => [primary, candidate])
  const least = values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY)
  const greatest = values.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY)
  const pad = (greatest - least || Math.abs(greatest) || 1) * 0.04
  return [least - pad, greatest + pad]
}
