import type { ScaleOptions } from '@observablehq/plot'
import { formatUtcTick } from '../format/time.ts'

/** The x scale of every chart over time: UTC, on a 24-hour clock, with as many ticks as fit. */
export function utcAxis(times: Date[], width: number): ScaleOptions {
  const first = times[0]
  const last = times.at(-1)
  const spanMs = first && last ? last.getTime() - first.getTime() : 0
  return {
    type: 'utc',
    label: null,
    ticks: Math.max(3, Math.floor(width / 140)),
    tickFormat: (at: Date) => formatUtcTick(at, spanMs),
  }
}
