import type { ScaleOptions } from '@observablehq/plot'
import { dayMs, hourMs, minuteMs } from '../../../../../vocabulary/units.ts'
import { formatUtcTick } from '../../format/time.ts'

/** Distances between ticks, in ms; beyond the last, its multiples. */
const steps = [
  ...[1, 5, 15, 30].map((count) => count * 1000),
  ...[1, 5, 15, 30].map((count) => count * minuteMs),
  ...[1, 3, 6, 12].map((count) => count * hourMs),
  ...[1, 2, 3, 7].map((count) => count * dayMs),
]
/** Width of a character of a label, and of the gap after a label. */
const [characterPx, gapPx] = [6.5, 16]
/** At the sides of every chart over time, so that they align. */
export const timeMargins = { marginLeft: 60, marginRight: 16 }
export const timePlotWidth = (width: number) => width - timeMargins.marginLeft - timeMargins.marginRight

/**
 * The x scale of every chart over time: UTC on a 24-hour clock, with as many ticks as fit. It spans `times`, so that
 * charts of the same figures align.
 */
export function utcAxis(times: Date[], width: number): ScaleOptions {
  const from = Number(times[0] ?? 0)
  const spanMs = Number(times.at(-1) ?? 0) - from
  return {
    type: 'utc',
    ...(spanMs > 0 && { domain: [times[0], times.at(-1)], ticks: ticksWithin(from, spanMs, timePlotWidth(width)) }),
    label: null,
    tickFormat: (at: Date) => formatUtcTick(at, spanMs),
  }
}

function ticksWithin(from: number, spanMs: number, plotWidth: number): Date[] {
  const labelPx = characterPx * formatUtcTick(new Date(from), spanMs).length + gapPx
  const least = (spanMs * labelPx) / Math.max(plotWidth, labelPx)
  const step = steps.find((step) => step >= least && isToldApart(step, spanMs)) ?? multipleOf(steps.at(-1)!, least)
  const first = multipleOf(step, from)
  return Array.from({ length: Math.floor((from + spanMs - first) / step) + 1 }, (_, k) => new Date(first + k * step))
}

/** Whether neighbours this far apart have different labels. */
const isToldApart = (stepMs: number, spanMs: number) =>
  formatUtcTick(new Date(0), spanMs) !== formatUtcTick(new Date(stepMs), spanMs)

const multipleOf = (step: number, least: number) => Math.ceil(least / step) * step
