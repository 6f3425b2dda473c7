import type { Bounded } from '../../../../../vocabulary/bounded.ts'

/** Maps a value to per cent of the bar's width. */
export interface BoundScale {
  from: number
  to: number
  place: (value: number) => number
}

const pad = 0.08
/** Up to this many rows are all shown in full. */
const wholeRowsMax = 4

/**
 * One scale for bars stacked below each other. It includes all estimates and `marks`; among many rows, bounds count
 * only by their median, because a single sparse row has a bound as wide as the page. Never exceeds the metric's domain.
 */
export function boundScale(rows: readonly Bounded[], marks: readonly number[], domain: [number, number]): BoundScale {
  const bounded = rows.filter(({ estimate }) => estimate !== null)
  const wanted = [
    ...bounded.map(({ estimate }) => estimate!),
    ...ends(bounded.flatMap(({ lower }) => lower ?? [])),
    ...ends(bounded.flatMap(({ upper }) => upper ?? [])),
    ...marks,
  ].filter(Number.isFinite)
  const [least, greatest] = wanted.length === 0 ? [0, 1] : [Math.min(...wanted), Math.max(...wanted)]
  const room = (greatest - least || Math.abs(greatest) || 1) * pad
  const from = Math.max(domain[0], least - room)
  const to = Math.min(domain[1], greatest + room)
  return { from, to, place: (value) => Math.min(100, Math.max(0, ((value - from) / (to - from || 1)) * 100)) }
}

function ends(values: number[]): number[] {
  return values.length <= wholeRowsMax ? values : [values.toSorted((a, b) => a - b)[values.length >> 1]!]
}
