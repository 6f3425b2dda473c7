import type { CheckResult, WindowView } from '../../../../vocabulary/api/gate.ts'
import type { DecidingCheck } from '../../../../vocabulary/api/glance.ts'
import { limitText, limitValue } from '../format/limit-text.ts'
import { digitsFor, formatEstimate } from '../format/number.ts'
import { checkInfo } from '../metrics/metric-info.ts'
import { lackOf } from '../verdict/check-words.ts'
import { type SparklineShape, sparklineShape } from './sparkline-shape.ts'
import { ThinBar } from './thin-bar.tsx'

interface SparklineProps {
  deciding: DecidingCheck | null
  /** The check that decides the verdict. */
  decides: CheckResult | null
  window: Pick<WindowView, 'samples' | 'samplesMin'>
}

/**
 * The deciding metric over the window against its limit, with the gate's estimate and bound at the right end. A check
 * that lacks evidence has neither, and no colour.
 */
export function Sparkline({ deciding, decides, window }: SparklineProps) {
  if (deciding === null) return <NoSparkline words="no check of the model" />
  const lack = lackOf(deciding, window)
  // with too few samples, the samples check decides, whatever else is pending
  if (lack !== null && decides?.metric === 'samples') {
    return <NoSparkline words={lack} name={decides} share={window.samples / window.samplesMin} />
  }
  if (lack !== null) return <NoSparkline words={lack} name={deciding} />
  const { metric, estimate, lower, upper, limit, verdict, sparkline } = deciding
  const info = checkInfo(deciding)
  const isEmpty = estimate === null && sparkline.values.every((point) => point === null)
  const shape = sparklineShape(deciding, info.domain)
  const digits = digitsFor(estimate, lower, upper, info.unit, limit)
  const value = estimate === null ? null : formatEstimate(estimate, info, digits, limit)
  const limits =
    limit.min !== undefined && limit.max !== undefined
      ? `within ${limitValue(limit.min, info.unit)} to ${limitValue(limit.max, info.unit)}`
      : limitText(limit, info.unit)
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
          <span class={value === null ? 'no-data' : 'spark-number'}>{value ?? 'no data'}</span>,{' '}
          <span class="spark-limit">limit {limits}</span>
        </span>
      </figcaption>
    </figure>
  )
}

interface NoSparklineProps {
  words: string
  name?: Pick<CheckResult, 'metric' | 'relative'>
  /** Of the samples needed; then the sentence beside it says the same as `words`. */
  share?: number
}

function NoSparkline({ words, name, share }: NoSparklineProps) {
  return (
    <figure class={share === undefined ? 'spark' : 'spark spark-samples'}>
      {share === undefined ? (
        <div class="spark-picture spark-empty" />
      ) : (
        <div class="spark-picture">
          <ThinBar share={share} />
        </div>
      )}
      <figcaption>
        {name !== undefined && (
          <span class="spark-metric" title={checkInfo(name).label}>
            {name.metric}
          </span>
        )}
        <span class="no-data spark-lack">{words}</span>
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
