import { useId } from 'preact/hooks'
import type { CheckResult } from '../../../../../vocabulary/api/gate.ts'
import { limitLabel, limitText } from '../../format/limit-text.ts'
import { formatValue } from '../../format/number.ts'
import { spanText } from '../../format/span-text.ts'
import type { Unit } from '../../metrics/metric-info.ts'
import { intervalScale } from './interval-scale.ts'

interface IntervalBarProps {
  check: Pick<CheckResult, 'estimate' | 'lower' | 'upper' | 'limit' | 'verdict'>
  domain: [number, number]
  unit: Unit
}

/**
 * A check at a glance: the allowed side shaded, the other hatched, the limit a labelled tick, the bound a line, the
 * estimate a dot.
 */
export function IntervalBar({ check, domain, unit }: IntervalBarProps) {
  const hatch = useId()
  const scale = intervalScale(check, domain)
  if (scale.bound === null && scale.estimate === null) return <span class="no-data">too little evidence</span>
  const { bound, allowed } = scale
  return (
    <svg class={`interval interval-${check.verdict}`} role="img" aria-label={spoken(check, unit)} height="44">
      <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line class="interval-hatch" x1="0" x2="0" y1="0" y2="5" />
      </pattern>
      <rect class="interval-track" x="0" y="6" width="100%" height="20" rx="3" fill={`url(#${hatch})`} />
      <rect
        class="interval-allowed"
        x={`${allowed.from}%`}
        y="6"
        width={`${Math.max(0, allowed.to - allowed.from)}%`}
        height="20"
      />
      {scale.zero !== null && (
        <>
          <line class="interval-zero" x1={`${scale.zero}%`} x2={`${scale.zero}%`} y1="2" y2="30" />
          {!scale.limits.some((limit) => Math.abs(limit - scale.zero!) < 12) && (
            <text class="interval-label" x={`${scale.zero}%`} y="41" text-anchor={anchorAt(scale.zero)}>
              0
            </text>
          )}
        </>
      )}
      {bound && (
        <>
          <line class="interval-bound" x1={`${bound.from}%`} x2={`${bound.to}%`} y1="16" y2="16" />
          {!bound.openLow && <line class="interval-end" x1={`${bound.from}%`} x2={`${bound.from}%`} y1="10" y2="22" />}
          {!bound.openHigh && <line class="interval-end" x1={`${bound.to}%`} x2={`${bound.to}%`} y1="10" y2="22" />}
        </>
      )}
      {scale.estimate !== null && <circle class="interval-estimate" cx={`${scale.estimate}%`} cy="16" r="5" />}
      {scale.limits.map((limit, index) => (
        <g key={limit}>
          <line class="interval-limit" x1={`${limit}%`} x2={`${limit}%`} y1="1" y2="31" />
          <text class="interval-label interval-label-limit" x={`${limit}%`} y="41" text-anchor={anchorAt(limit)}>
            {limitLabel([check.limit.min, check.limit.max].filter((value) => value !== undefined)[index]!, unit)}
          </text>
        </g>
      ))}
    </svg>
  )
}

function anchorAt(percent: number): 'start' | 'middle' | 'end' {
  return percent < 12 ? 'start' : percent > 88 ? 'end' : 'middle'
}

function spoken({ estimate, lower, upper, limit, verdict }: IntervalBarProps['check'], unit: Unit): string {
  const bound = lower === upper ? null : spanText({ lower, upper }, unit, undefined)
  return `${verdict}: estimate ${formatValue(estimate, unit)}${bound ? `, bound ${bound}` : ''}, limit ${limitText(limit, unit)}`
}
