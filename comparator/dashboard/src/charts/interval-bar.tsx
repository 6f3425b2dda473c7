import type { CheckResult } from '../../../../vocabulary/gate.ts'
import { intervalScale } from './interval-scale.ts'

/** A check at a glance: allowed side shaded, limit as a tick, bound as a line, estimate as a dot. */
export function IntervalBar({ check, domain }: { check: CheckResult; domain: [number, number] }) {
  const scale = intervalScale(check, domain)
  if (scale.bound === null && scale.estimate === null) return <span class="no-data">too little evidence</span>
  const { bound, allowed } = scale
  return (
    <svg class={`interval interval-${check.verdict}`} role="img" aria-label={check.text} height="32">
      <rect class="interval-track" x="0" y="6" width="100%" height="20" rx="2" />
      <rect
        class="interval-allowed"
        x={`${allowed.from}%`}
        y="6"
        width={`${Math.max(0, allowed.to - allowed.from)}%`}
        height="20"
      />
      {scale.zero !== null && <line class="interval-zero" x1={`${scale.zero}%`} x2={`${scale.zero}%`} y1="6" y2="26" />}
      {scale.limits.map((limit) => (
        <line key={limit} class="interval-limit" x1={`${limit}%`} x2={`${limit}%`} y1="1" y2="31" />
      ))}
      {bound && (
        <>
          <line class="interval-bound" x1={`${bound.from}%`} x2={`${bound.to}%`} y1="16" y2="16" />
          {!bound.openLow && <line class="interval-end" x1={`${bound.from}%`} x2={`${bound.from}%`} y1="11" y2="21" />}
          {!bound.openHigh && <line class="interval-end" x1={`${bound.to}%`} x2={`${bound.to}%`} y1="11" y2="21" />}
        </>
      )}
      {scale.estimate !== null && <circle class="interval-estimate" cx={`${scale.estimate}%`} cy="16" r="4.5" />}
    </svg>
  )
}
