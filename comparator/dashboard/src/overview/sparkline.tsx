import type { CheckResult } from '../../../../vocabulary/gate.ts'
import type { DecidingCheck } from '../../../../vocabulary/glance.ts'
import { decimalsFor, formatValue } from '../format/number.ts'
import { checkInfo } from '../metrics/metric-info.ts'
import { type SparklineShape, sparklineShape } from './sparkline-shape.ts'

/** The deciding metric over the window against its limit; at the right end the gate's estimate with its bound. */
export function Sparkline({ deciding }: { deciding: DecidingCheck | null }) {
  if (deciding === null) return <NoSparkline words="no check of the model" />
  const { metric, estimate, lower, upper, limit, verdict, sparkline } = deciding
  const info = checkInfo(deciding)
  const isEmpty = estimate === null && sparkline.values.every((point) => point === null)
  const shape = sparklineShape(deciding, info.domain)
  const decimals = decimalsFor(estimate, lower, upper)
  const value = estimate === null ? null : formatValue(estimate, info.unit, decimals)
  const limits = limitText(limit, (number) => formatValue(number, info.unit))
  return (
    <figure class={`spark spark-${verdict}`}>
      <div
        class={isEmpty ? 'spark-picture spark-empty' : 'spark-picture'}
        role="img"
        aria-label={`${info.label}: ${value ?? 'no data'}, limit ${limits}`}
      >
        {!isEmpty && <Course shape={shape} />}
        {!isEmpty && <Interval interval={shape.interval} />}
      </div>
      <figcaption>
        <span class="spark-metric" title={info.label}>
          {metric}
        </span>
        <span class="spark-value">
          {value ?? <span class="no-data">no data</span>} <span class="spark-limit">{limits}</span>
        </span>
      </figcaption>
    </figure>
  )
}

function NoSparkline({ words }: { words: string }) {
  return (
    <figure class="spark">
      <div class="spark-picture spark-empty" />
      <figcaption>
        <span class="no-data">{words}</span>
      </figcaption>
    </figure>
  )
}

function Course({ shape: { paths, dots, limits } }: { shape: SparklineShape }) {
  return (
    <svg class="spark-course" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {limits.map(({ y, forbids }) => (
        <g key={forbids}>
          <rect
            class="spark-forbidden"
            x="0"
            width="100"
            y={forbids === 'above' ? 0 : y}
            height={forbids === 'above' ? y : 100 - y}
          />
          <line class="spark-limit-line" x1="0" x2="100" y1={y} y2={y} />
        </g>
      ))}
      {paths.map((path) => (
        <path key={path} class="spark-line" d={path} />
      ))}
      {dots.map(({ x, y }) => (
        <line key={x} class="spark-dot" x1={x} x2={x} y1={y} y2={y} />
      ))}
    </svg>
  )
}

function Interval({ interval }: { interval: SparklineShape['interval'] }) {
  return (
    <svg class="spark-interval" viewBox="0 0 14 100" preserveAspectRatio="none" aria-hidden="true">
      {interval && (
        <>
          <line class="spark-bound" x1="7" x2="7" y1={interval.lower} y2={interval.upper} />
          <line class="spark-estimate" x1="7" x2="7" y1={interval.estimate} y2={interval.estimate} />
        </>
      )}
    </svg>
  )
}

/** `≥ 0.985`, `≤ 250 ms`, `0.9 to 1.1`. */
function limitText({ min, max }: CheckResult['limit'], format: (value: number) => string): string {
  if (min !== undefined && max !== undefined) return `${format(min)} to ${format(max)}`
  return min !== undefined ? `≥ ${format(min)}` : max !== undefined ? `≤ ${format(max)}` : ''
}
