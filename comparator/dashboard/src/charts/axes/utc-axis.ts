import type { ScaleOptions } from '@observablehq/plot'
import { formatUtcTick } from '../../format/time.ts'

const dayMs = 86_400_000

/**
 * The x scale of every chart over time: UTC on a 24-hour clock, with as many ticks as fit. It spans `times`, so that
 * charts of the same figures align.
 */
export function utcAxis(times: Date[], width: number): ScaleOptions {
  const first = times[0]
  const last = times.at(-1)
  const spanMs = first && last ? last.getTime() - first.getTime() : 0
  return {
    type: 'utc',
    ...(spanMs > 0 && { domain: [first, last] }),
    label: null,
    ticks: Math.max(2, Math.min(Math.floor(width / 105), ticksMax(spanMs))),
    tickFormat: (at: Date) => formatUtcTick(at, spanMs),
  }
}

/** Avoids several ticks for the same day when ticks are days. */
function ticksMax(spanMs: number): number {
  return spanMs < 5 * dayMs ? Number.POSITIVE_INFINITY : Math.floor(spanMs / dayMs)
}
