import { useMemo } from 'preact/hooks'
import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { hasRows } from '../../../../vocabulary/mapping/row-pointers.ts'
import type { GateCheck } from '../../../../vocabulary/policy.ts'
import { DriftChart } from '../charts/over-time/drift-chart.tsx'
import { LabelsChart } from '../charts/over-time/labels-chart.tsx'
import { LegsChart } from '../charts/over-time/legs-chart.tsx'
import { formatCount, formatCounted, formatShare } from '../format/number.ts'
import { limitOn } from '../metrics/limit-on.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { contestedOf } from './contested.ts'
import { ContestedBar } from './contested-bar.tsx'
import { labelCount, labelledKinds, labelSteps } from './labels-awaited.ts'
import { TruthTable } from './truth-table.tsx'

interface AccuracySectionProps {
  metrics: MetricsView | null
  validation: ValidationView
}

/**
 * Compares both sides with the truth, as far as labels have arrived. Empty for kinds of output that labels do not apply
 * to.
 */
export function AccuracySection({ metrics, validation }: AccuracySectionProps) {
  const { kind, policy } = validation
  const isOfRows = policy.output.kind === 'classification' && hasRows(policy.output)
  if (!labelledKinds.includes(kind)) return null
  const count = metrics && labelCount(metrics, kind)
  const misfits = count?.misfits ?? 0
  return (
    <section class="section" aria-labelledby="accuracy">
      <div class="section-head">
        <SectionHeading id="accuracy" level={3}>
          Against the truth
        </SectionHeading>
        {count !== null && count.labelled > 0 && (
          <p class="muted">
            {formatCount(count.labelled)} of {formatCount(count.comparable)} exchanges are labelled
            {count.missing > 0 &&
              `; ${formatCount(count.missing)} labels are still missing (${formatShare(count.missing / count.comparable)})`}
          </p>
        )}
      </div>
      {misfits > 0 && (
        <p class="muted">
          {formatCounted(misfits, 'exchange')} could not be compared with{' '}
          {misfits === 1 ? 'its label, which has' : 'their labels, which have'} a different number of rows or values
          from {misfits === 1 ? 'its answer' : 'their answers'}.
        </p>
      )}
      {metrics === null || count === null ? (
        <Loading what="accuracy" height={240} shape="block" />
      ) : count.labelled === 0 ? (
        <EmptyState title={misfits === 0 ? 'No labels in this range' : 'No label in this range fits its answer'}>
          <p>
            To see which side is right, send the truth to <code>POST /v1/labels</code> with each request’s correlation
            id, even days later.
            {isOfRows && ' For several rows, send a list with null for each unknown label.'}
          </p>
        </EmptyState>
      ) : (
        <AccuracyFigures metrics={metrics} kind={kind} isOfRows={isOfRows} gate={policy.gate} />
      )}
    </section>
  )
}

const noLimits: [] = []
const namesOf = {
  classification: { primary: 'accuracy.primary', candidate: 'accuracy.candidate' },
  regression: { primary: 'mae.primary', candidate: 'mae.candidate' },
}

interface AccuracyFiguresProps {
  metrics: MetricsView
  kind: OutputKind
  /**
   * One exchange may have several rows, so that one side may be right in only some of them; there is then nothing to
   * count.
   */
  isOfRows: boolean
  gate: readonly GateCheck[]
}

function AccuracyFigures({ metrics, kind, isOfRows, gate }: AccuracyFiguresProps) {
  const contested = kind === 'classification' && !isOfRows ? contestedOf(metrics) : null
  const steps = useMemo(() => labelSteps(metrics), [metrics])
  return (
    <>
      <TruthTable metrics={metrics} kind={kind} />
      <div class="columns">
        {contested && <ContestedBar contested={contested} />}
        <LegsChart
          title={kind === 'classification' ? 'Accuracy over time' : 'Error against the truth over time'}
          metrics={metrics}
          names={kind === 'classification' ? namesOf.classification : namesOf.regression}
          limits={noLimits}
        />
        {kind === 'classification' && (
          <DriftChart metrics={metrics} metric="accuracy.drift" limit={limitOn('accuracy.drift', gate)} height={240} />
        )}
        <LabelsChart steps={steps} />
      </div>
    </>
  )
}
