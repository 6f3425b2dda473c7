import type { CheckResult, GateEvaluation, Verdict } from '../../../../vocabulary/gate.ts'
import type { Polled } from '../api/use-polled.ts'
import { IntervalBar } from '../charts/interval-bar.tsx'
import { decimalsFor, formatCount, formatPlain, formatValue } from '../format/number.ts'
import { checkInfo, type Unit } from '../metrics/metric-info.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Moment } from '../parts/moment.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'

const order: Record<Verdict, number> = { fail: 0, inconclusive: 1, pass: 2 }

export function ChecksSection({ gate }: { gate: Polled<GateEvaluation> }) {
  const evaluation = gate.data
  const checks = evaluation?.checks.toSorted(
    (a, b) => Number(a.reportOnly) - Number(b.reportOnly) || order[a.verdict] - order[b.verdict],
  )
  return (
    <section class="section" aria-labelledby="checks">
      <div class="section-head">
        <h2 id="checks">The gate’s checks</h2>
        {evaluation && (
          <p class="muted">
            Judged <Moment at={evaluation.at} clock /> · evaluation{' '}
            <code title={evaluation.id}>{evaluation.id.slice(-8)}</code>
          </p>
        )}
      </div>
      {!evaluation && gate.problem === null && <p class="loading">Loading the gate…</p>}
      {!evaluation && gate.problem !== null && (
        <EmptyState title="The gate’s evaluation could not be loaded">{gate.problem.message}</EmptyState>
      )}
      {checks && checks.length === 0 && (
        <EmptyState title="This gate has no checks">Only samples, window and coverage are judged.</EmptyState>
      )}
      {checks && checks.length > 0 && (
        <table class="checks">
          <caption class="visually-hidden">Each condition of the gate: estimate, bound, limit and verdict</caption>
          <thead>
            <tr>
              <th scope="col">Verdict</th>
              <th scope="col">Check</th>
              <th scope="col" class="wide-only">
                Bound against limit
              </th>
              <th scope="col" class="numeric">
                Estimate
              </th>
              <th scope="col" class="numeric">
                Bound
              </th>
              <th scope="col" class="numeric">
                Limit
              </th>
              <th scope="col" class="numeric">
                n
              </th>
            </tr>
          </thead>
          {checks.map((check, index) => (
            <CheckRows key={`${check.metric} ${index}`} check={check} />
          ))}
        </table>
      )}
    </section>
  )
}

function CheckRows({ check }: { check: CheckResult }) {
  const info = checkInfo(check)
  const decimals = decimalsFor(check.estimate, check.lower, check.upper)
  const value = (number: number | null) => formatValue(number, info.unit, decimals)
  return (
    <tbody data-testid={`check-${check.metric}`}>
      <tr>
        <td class="cell-verdict">
          <VerdictMark verdict={check.verdict} />
          {check.reportOnly && <span class="tag">report only</span>}
        </td>
        <th scope="row" class="cell-metric">
          {info.label}
          <code>{check.metric}</code>
        </th>
        <td class="cell-bar">
          <IntervalBar check={check} domain={info.domain} />
        </td>
        <td class="numeric" data-label="Estimate">
          {value(check.estimate)}
        </td>
        <td class="numeric" data-label="Bound">
          {boundText(check, value)}
        </td>
        <td class="numeric" data-label="Limit">
          {limitText(check.limit, info.unit)}
        </td>
        <td class="numeric" data-label="n">
          {formatCount(check.n)}
        </td>
      </tr>
      <tr class="arithmetic">
        <td colSpan={7}>{check.text}</td>
      </tr>
    </tbody>
  )
}

function boundText({ lower, upper }: CheckResult, value: (number: number | null) => string): string {
  if (lower === null && upper === null) return '–'
  if (lower === upper) return 'exact'
  if (lower === null) return `≤ ${value(upper)}`
  if (upper === null) return `≥ ${value(lower)}`
  return `${value(lower).replace(/ ms$/, '')} to ${value(upper)}`
}

/** The limit as the policy has it, without rounding it to the estimate's digits. */
function limitText(limit: CheckResult['limit'], unit: Unit): string {
  const value = (number: number) =>
    unit === 'ms' ? `${formatPlain(number)} ms` : unit === 'none' ? formatPlain(number) : formatValue(number, unit)
  return [
    limit.min === undefined ? null : `≥ ${value(limit.min)}`,
    limit.max === undefined ? null : `≤ ${value(limit.max)}`,
  ]
    .filter((part) => part !== null)
    .join(' and ')
}
