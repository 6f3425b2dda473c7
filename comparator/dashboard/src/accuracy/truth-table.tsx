import type { ComponentChildren } from 'preact'
import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { Bounded } from '../../../../vocabulary/bounded.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { BoundBar } from '../charts/bars/bound-bar.tsx'
import { type BoundScale, boundScale } from '../charts/bars/bound-scale.ts'
import type { ChartTableData } from '../charts/frame/chart-table.tsx'
import { Downloads } from '../charts/frame/downloads.tsx'
import { boundedText } from '../format/bounded-text.ts'
import { formatCount } from '../format/number.ts'
import { metricInfo } from '../metrics/metric-info.ts'

const none: Bounded = { estimate: null, lower: null, upper: null, n: 0 }
const zero: Bounded = { estimate: 0, lower: null, upper: null, n: 0 }

/** Both sides against the truth on one scale, and their difference on a scale of its own around zero. */
export function TruthTable({ metrics, kind }: { metrics: MetricsView; kind: OutputKind }) {
  const head = kind === 'classification' ? 'accuracy' : 'mae'
  const of = (part: string) => metrics.bounds[`${head}.${part}`] ?? none
  const { domain } = metricInfo(`${head}.primary`)
  const sides = boundScale([of('primary'), of('candidate')], [], domain)
  const drift = boundScale([of('drift')], [0], metricInfo(`${head}.drift`).domain)
  const title = kind === 'classification' ? 'Share right' : 'Mean absolute error'
  return (
    <div class="picture">
      <table class="truth-table folds">
        <caption class="visually-hidden">Both sides against the truth, with bounds</caption>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col" class="cell-bound-bar">
              <span class="visually-hidden">Bound</span>
            </th>
            <th scope="col" class="numeric">
              Estimate
            </th>
            <th scope="col" class="numeric">
              n
            </th>
          </tr>
        </thead>
        <tbody>
          <Row name={`${head}.primary`} bounded={of('primary')} scale={sides} mark="primary">
            <span class="leg leg-primary">primary</span>
          </Row>
          <Row name={`${head}.candidate`} bounded={of('candidate')} scale={sides} mark="candidate">
            <span class="leg leg-candidate">candidate</span>
          </Row>
          <Row name={`${head}.drift`} bounded={of('drift')} scale={drift} mark="whole" against={zero} signed>
            candidate − primary
          </Row>
        </tbody>
      </table>
      <Downloads title={title} table={() => tableOf(head, of)} />
    </div>
  )
}

function tableOf(head: string, of: (part: string) => Bounded): ChartTableData {
  return {
    columns: ['Metric', 'Estimate', 'Lower', 'Upper', 'n'],
    rows: ['primary', 'candidate', 'drift'].map((part) => {
      const { estimate, lower, upper, n } = of(part)
      return [`${head}.${part}`, ...[estimate, lower, upper, n].map((value) => ({ text: '', value }))]
    }),
  }
}

interface RowProps {
  name: string
  bounded: Bounded
  scale: BoundScale
  mark: 'primary' | 'candidate' | 'whole'
  against?: Bounded
  signed?: boolean
  children: ComponentChildren
}

function Row({ name, bounded, scale, mark, against, signed = false, children }: RowProps) {
  const { estimate, bound } = boundedText(name, bounded, { isSigned: signed })
  const boundWords = bound ?? 'too little evidence for a bound'
  return (
    <tr class={signed ? 'truth-drift' : undefined}>
      <th scope="row">{children}</th>
      <td class="cell-bound-bar">
        <BoundBar bounded={bounded} scale={scale} mark={mark} against={against} label={`${estimate}, ${boundWords}`} />
        {against && (
          <span class="zero-label" style={{ left: `${scale.place(0)}%` }} aria-hidden="true">
            0
          </span>
        )}
      </td>
      <td class="numeric" data-label="Estimate">
        {estimate}
        <span class="cell-bound">{boundWords}</span>
      </td>
      <td class="numeric" data-label="n">
        {formatCount(bounded.n)}
      </td>
    </tr>
  )
}
