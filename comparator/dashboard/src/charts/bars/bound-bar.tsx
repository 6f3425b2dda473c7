import type { Bounded } from '../../../../../vocabulary/bounded.ts'
import type { BoundScale } from './bound-scale.ts'

interface BoundBarProps {
  bounded: Bounded
  scale: BoundScale
  /** Shape of the estimate's mark: a disc, a diamond, a plain dot, a triangle. */
  mark: 'primary' | 'candidate' | 'whole' | 'worse'
  /** A reference to compare with, drawn as a line with its own bound behind it. */
  against?: Bounded | undefined
  /** The bar in words. */
  label: string
}

/** One row of bars on a shared scale: the bound is a line, the estimate a mark. Ends outside the scale are open. */
export function BoundBar({ bounded, scale, mark, against, label }: BoundBarProps) {
  const { estimate, lower, upper } = bounded
  const { place, from, to } = scale
  const isInside = (value: number | null) => value !== null && value >= from && value <= to
  return (
    <svg class={`bound-bar bound-bar-${mark}`} role="img" aria-label={label}>
      {against && against.lower !== null && against.upper !== null && (
        <rect
          class="bound-against-band"
          x={`${place(against.lower)}%`}
          width={`${Math.max(0, place(against.upper) - place(against.lower))}%`}
          y="0"
          height="100%"
        />
      )}
      {against && against.estimate !== null && (
        <line
          class="bound-against"
          x1={`${place(against.estimate)}%`}
          x2={`${place(against.estimate)}%`}
          y1="0"
          y2="100%"
        />
      )}
      {(lower !== null || upper !== null) && lower !== upper && (
        <>
          <line
            class="bound-line"
            x1={`${lower === null ? 0 : place(lower)}%`}
            x2={`${upper === null ? 100 : place(upper)}%`}
            y1="50%"
            y2="50%"
          />
          {[lower, upper].map(
            (end, index) =>
              isInside(end) && (
                <svg
                  key={index === 0 ? 'lower' : 'upper'}
                  class="bound-anchor"
                  aria-hidden="true"
                  x={`${place(end!)}%`}
                  y="50%"
                >
                  <line class="bound-line" x1="0" x2="0" y1="-5" y2="5" />
                </svg>
              ),
          )}
        </>
      )}
      {estimate !== null && (
        <svg class="bound-anchor" aria-hidden="true" x={`${place(estimate)}%`} y="50%">
          <path class="bound-mark" d={marks[mark]} />
        </svg>
      )}
    </svg>
  )
}

const marks = {
  primary: 'M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5z',
  candidate: 'M0-6.5L6.5 0L0 6.5L-6.5 0z',
  whole: 'M0-4.5A4.5 4.5 0 1 1 0 4.5A4.5 4.5 0 1 1 0-4.5z',
  worse: 'M0 6L-6.5-5H6.5z',
}
