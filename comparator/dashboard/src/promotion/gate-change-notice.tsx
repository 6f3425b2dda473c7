import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import { digitsFor, formatCount, formatEstimate } from '../format/number.ts'
import { checkInfo } from '../metrics/metric-info.ts'
import { Scrollable } from '../parts/scrollable.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'
import type { CheckChange, GateChange } from './gate-change.ts'

interface GateChangeNoticeProps {
  change: GateChange
  title: string
  /** Confirms the newest evaluation; if absent, the notice only informs. */
  takeNewest?: () => void
}

/** Two evaluations side by side, check by check, before anyone signs the later one. */
export function GateChangeNotice({ change, title, takeNewest }: GateChangeNoticeProps) {
  const { verdict, subject, checks } = change
  return (
    <div class="gate-change" role={takeNewest ? 'alert' : undefined} data-testid="gate-change">
      <p class="gate-change-title">
        <strong>{title}</strong>
        {verdict.before !== verdict.now && (
          <span class="turn">
            <VerdictMark verdict={verdict.before} /> <Arrow /> <VerdictMark verdict={verdict.now} />
          </span>
        )}
      </p>
      {subject.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {checks.length > 0 && <Checks checks={checks} />}
      {takeNewest && (
        <div class="action-row">
          <button class="button" type="button" onClick={takeNewest}>
            I have seen this; continue with the new evaluation
          </button>
        </div>
      )}
    </div>
  )
}

function Checks({ checks }: { checks: CheckChange[] }) {
  return (
    <Scrollable label="What changed, check by check">
      <table class="compact gate-change-checks">
        <caption class="visually-hidden">Checks that changed: before and now</caption>
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {checks.map(({ metric, before, now, turned }, index) => (
            <tr key={`${metric} ${index}`} class={turned ? 'check-turned' : undefined}>
              <th scope="row">
                {checkInfo((now ?? before)!).label}
                <code>{metric}</code>
              </th>
              <td>
                <Side check={before} absent="not checked" />
              </td>
              <td>
                <Side check={now} absent="no longer checked" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  )
}

function Side({ check, absent }: { check: CheckResult | null; absent: string }) {
  if (!check) return <span class="no-data">{absent}</span>
  const info = checkInfo(check)
  const digits = digitsFor(check.estimate, check.lower, check.upper, info.unit, check.limit)
  return (
    <>
      <VerdictMark verdict={check.verdict} />
      <span class="number side-figures">
        {formatEstimate(check.estimate, info, digits, check.limit)} <span class="muted">n {formatCount(check.n)}</span>
      </span>
    </>
  )
}

function Arrow() {
  return (
    <>
      <span aria-hidden="true">→</span>
      <span class="visually-hidden">, now </span>
    </>
  )
}
