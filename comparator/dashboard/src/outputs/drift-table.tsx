import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { Bounded } from '../../../../vocabulary/bounded.ts'
import type { ChartTableData } from '../charts/frame/chart-table.tsx'
import { Downloads } from '../charts/frame/downloads.tsx'
import { boundedText } from '../format/bounded-text.ts'
import { formatCount, formatPlain } from '../format/number.ts'
import { metricInfo } from '../metrics/metric-info.ts'
import { Scrollable } from '../parts/scrollable.tsx'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { type AgainstNoise, againstNoise } from './noise.ts'

/** From this many rows on, the table is as tall as two charts. */
const tallFrom = 10

interface DriftTableProps {
  metrics: MetricsView
  names: string[]
  route: ValidationRoute
}

/** How far the two sides' answers are apart, next to the primary's distance from itself if that is measured. */
export function DriftTable({ metrics, names, route }: DriftTableProps) {
  const { noiseFloor } = metrics
  const measured = names.flatMap((name) => {
    const bounded = metrics.bounds[name]
    return bounded && bounded.estimate !== null ? [{ name, bounded }] : []
  })
  if (measured.length === 0) return null
  const title = 'Drift in numbers'
  return (
    <figure class={measured.length >= tallFrom ? 'figure figure-tall' : 'figure'}>
      <figcaption>
        <span class="figure-title">{title}</span>
        {noiseFloor && <span class="muted">noise floor: the primary against itself, {noiseFloor.validation}</span>}
      </figcaption>
      <Scrollable label={title}>
        <table class="compact folds drift-table">
          <caption class="visually-hidden">How far apart the answers are over the range, with bounds</caption>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" class="numeric">
                Estimate
              </th>
              {noiseFloor && (
                <th scope="col" class="numeric">
                  Noise floor
                </th>
              )}
              <th scope="col" class="numeric">
                n
              </th>
            </tr>
          </thead>
          <tbody>
            {measured.map(({ name, bounded }) => (
              <tr key={name}>
                <th scope="row">
                  <a
                    class="metric-link"
                    href={formatRoute({ ...route, metric: name })}
                    title={`Show ${name} over time`}
                  >
                    {metricInfo(name).label}
                  </a>
                  {noiseFloor && <NoiseTag told={againstNoise(bounded, noiseFloor.bounds[name])} />}
                </th>
                <BoundedCell of="Estimate" name={name} bounded={bounded} />
                {noiseFloor && <BoundedCell of="Noise floor" name={name} bounded={noiseFloor.bounds[name]} />}
                <td class="numeric" data-label="n">
                  {formatCount(bounded.n)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      <div class="figure-foot">
        <Downloads title={title} table={() => tableOf(measured, noiseFloor)} />
      </div>
    </figure>
  )
}

function NoiseTag({ told }: { told: AgainstNoise }) {
  if (told === 'untold') return null
  return <span class={`noise-tag noise-${told}`}>{told === 'within' ? 'within noise' : 'beyond noise'}</span>
}

function BoundedCell({ of, name, bounded }: { of: string; name: string; bounded: Bounded | undefined }) {
  if (bounded === undefined || bounded.estimate === null) {
    return (
      <td class="numeric" data-label={of}>
        <span class="no-data">not measured</span>
      </td>
    )
  }
  const { estimate, bound } = boundedText(name, bounded)
  return (
    <td class="numeric" data-label={of}>
      {estimate}
      {bound !== null && <span class="cell-bound">{bound}</span>}
    </td>
  )
}

function tableOf(
  measured: { name: string; bounded: Bounded }[],
  noiseFloor: MetricsView['noiseFloor'],
): ChartTableData {
  const cell = (value: number | null | undefined) => ({
    text: value == null ? '–' : formatPlain(value),
    value: value ?? null,
  })
  const cellsOf = (bounded: Bounded | undefined) => [bounded?.estimate, bounded?.lower, bounded?.upper].map(cell)
  return {
    columns: [
      'Metric',
      'Estimate',
      'Lower',
      'Upper',
      'n',
      ...(noiseFloor ? ['Noise floor', 'Noise floor, lower', 'Noise floor, upper'] : []),
    ],
    rows: measured.map(({ name, bounded }) => [
      name,
      ...cellsOf(bounded),
      { text: formatCount(bounded.n), value: bounded.n },
      ...(noiseFloor ? cellsOf(noiseFloor.bounds[name]) : []),
    ]),
  }
}
