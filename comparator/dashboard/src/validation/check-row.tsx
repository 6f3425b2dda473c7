import type { CheckResult, WindowView } from '../../../../vocabulary/api/gate.ts'
import { IntervalBar } from '../charts/bars/interval-bar.tsx'
import { limitText } from '../format/limit-text.ts'
import { formatCount } from '../format/number.ts'
import { checkInfo } from '../metrics/metric-info.ts'
import { VerdictMark, WaitingMark } from '../parts/verdict-mark.tsx'
import { checkFigures, findingOf, lackOf, ofDifferences } from '../verdict/check-words.ts'
import { forecastSentence } from '../verdict/outlook-words.ts'
import { recentSentence } from '../verdict/recent-words.ts'

interface CheckRowProps {
  check: CheckResult
  window: Pick<WindowView, 'samples' | 'samplesMin'>
  /** Why there can be no forecast. */
  standstill: string | null
}

/** One condition and its verdict. A check that lacks evidence has neither figures nor colour. */
export function CheckRow({ check, window, standstill }: CheckRowProps) {
  const info = checkInfo(check)
  const lack = lackOf(check, window)
  const words = lack ?? findingOf(check)
  const { estimate, bound, primary, candidate } = checkFigures(check)
  const notes = [recentSentence(check), forecastSentence(check, standstill)].filter((note) => note !== null)
  const differences = ofDifferences(check)
  const isRelativeToFloor = check.sides?.noiseFloor !== undefined
  return (
    <>
      <tr class={check.decides ? 'check check-decides' : 'check'} data-testid={`check-${check.metric}`}>
        <td class="cell-verdict">
          {lack === null ? <VerdictMark verdict={check.verdict} /> : <WaitingMark />}
          {check.decides && <span class="tag tag-decides">decides</span>}
        </td>
        <th scope="row" class="cell-metric">
          <span class="check-name">
            {info.label}
            {check.slice !== undefined && check.slice !== '' && <span class="tag tag-slice">{check.slice}</span>}
          </span>
          <code>{check.metric}</code>
          {check.implied && <span class="cell-note">built into every gate</span>}
          {differences !== null && <span class="cell-note">{differences}</span>}
        </th>
        {words === null ? (
          <>
            <td class="cell-bar">
              <IntervalBar check={check} domain={info.domain} unit={info.unit} />
            </td>
            <Side label={isRelativeToFloor ? 'Noise floor' : 'Primary'} value={primary} note={isRelativeToFloor} />
            <Side label="Candidate" value={candidate} />
            <td class="numeric cell-estimate" data-label="Estimate">
              {estimate}
            </td>
            <td class="numeric cell-span" data-label="Bound">
              {bound}
            </td>
          </>
        ) : (
          <td class="cell-lack" colSpan={5}>
            <span class="lack">{words}</span>
          </td>
        )}
        <td class="numeric cell-span" data-label="Limit">
          {limitText(check.limit, info.unit)}
        </td>
        <td class="numeric" data-label="n">
          {formatCount(check.n)}
        </td>
      </tr>
      <tr class={check.decides ? 'check-more check-decides' : 'check-more'}>
        <td />
        <td colSpan={8}>
          <div class="check-notes">
            {notes.map((note) => (
              <span key={note}>{note}</span>
            ))}
            <details class="arithmetic">
              <summary>
                Arithmetic<span class="visually-hidden"> of {check.metric}</span>
              </summary>
              <p>{check.text}</p>
            </details>
          </div>
        </td>
      </tr>
    </>
  )
}

/** Empty for paired metrics, which neither side has by itself. */
function Side({ label, value, note = false }: { label: string; value: string | null; note?: boolean }) {
  return (
    <td class={value === null ? 'numeric cell-side cell-blank' : 'numeric cell-side'} data-label={label}>
      {value}
      {note && <span class="cell-note">noise floor</span>}
    </td>
  )
}
