import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { Polled } from '../api/use-polled.ts'
import type { ChartTableData } from '../charts/frame/chart-table.tsx'
import { Downloads } from '../charts/frame/downloads.tsx'
import { limitText } from '../format/limit-text.ts'
import { checkInfo } from '../metrics/metric-info.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { type CheckGroup, groupChecks } from '../verdict/check-words.ts'
import { CheckRow } from './check-row.tsx'

const groupWords: Record<CheckGroup['name'], string> = {
  fail: 'Failed',
  inconclusive: 'Inconclusive',
  pass: 'Passed',
  awaited: 'Awaiting evidence',
  reportOnly: 'Report only, not binding',
}

const columns = [
  'Verdict',
  'Check',
  'Bound against limit',
  'Primary',
  'Candidate',
  'Estimate',
  'Bound',
  'Limit',
  'n',
] as const

/** Every condition of the gate as the evaluation on screen judged it; nothing is computed here. */
export function ChecksSection({ gate, standstill }: { gate: Polled<GateEvaluation>; standstill: string | null }) {
  const evaluation = gate.data
  return (
    <section class="section" aria-labelledby="checks">
      <div class="section-head">
        <SectionHeading id="checks">The gate’s checks</SectionHeading>
        {evaluation && (
          <p class="muted">
            Judged <Moment at={evaluation.at} /> · evaluation{' '}
            <code title={evaluation.id}>{evaluation.id.slice(-8)}</code>
          </p>
        )}
      </div>
      {!evaluation && gate.problem === null && <Loading what="the gate" height={320} />}
      {!evaluation && gate.problem !== null && (
        <EmptyState title="The gate’s evaluation could not be loaded">{gate.problem.message}</EmptyState>
      )}
      {evaluation && <Checks evaluation={evaluation} standstill={standstill} />}
    </section>
  )
}

function Checks({ evaluation, standstill }: { evaluation: GateEvaluation; standstill: string | null }) {
  return (
    <div class="picture">
      <table class="checks">
        <caption class="visually-hidden">
          Each condition of the gate: both sides, estimate, bound, limit and verdict
        </caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={column} scope="col" class={index < 3 ? undefined : 'numeric'}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        {groupChecks(evaluation.checks, evaluation.window).map(({ name, checks }) => (
          <tbody key={name} class={`check-group check-group-${name}`}>
            <tr class="check-group-head">
              <th colSpan={columns.length} scope="rowgroup">
                {groupWords[name]} <span class="count">{checks.length}</span>
              </th>
            </tr>
            {checks.map((check, index) => (
              <CheckRow
                key={`${check.metric} ${check.slice ?? ''} ${index}`}
                check={check}
                window={evaluation.window}
                standstill={standstill}
              />
            ))}
          </tbody>
        ))}
      </table>
      <Downloads title={`Checks ${evaluation.id.slice(-8)}`} table={() => checksTable(evaluation)} />
    </div>
  )
}

function checksTable({ checks }: GateEvaluation): ChartTableData {
  const figure = (value: number | null | undefined) => ({ text: '', value: value ?? null })
  return {
    columns: [
      ...['metric', 'slice', 'relativeTo', 'verdict', 'reportOnly', 'primary', 'candidate', 'noiseFloor'],
      ...['estimate', 'lower', 'upper', 'limit', 'n', 'text'],
    ],
    rows: checks.map((check) => [
      ...[check.metric, check.slice ?? '', check.relative ? `${check.relative.by} to ${check.relative.to}` : ''],
      ...[check.verdict, String(check.reportOnly)],
      ...[check.sides?.primary, check.sides?.candidate, check.sides?.noiseFloor].map(figure),
      ...[check.estimate, check.lower, check.upper].map(figure),
      limitText(check.limit, checkInfo(check).unit),
      figure(check.n),
      check.text,
    ]),
  }
}
