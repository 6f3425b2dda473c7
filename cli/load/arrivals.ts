import type { Milliseconds } from '../../vocabulary/units.ts'

export const spacings = ['even', 'poisson'] as const
export type Spacing = (typeof spacings)[number]

export interface Pace {
  /** Requests per second. */
  rate: number
  durationMs: Milliseconds
  /** `poisson`: independent clients, whose requests come in bursts; `even`: equal gaps. */
  spacing: Spacing
  seed: number
}

/** The time at which each request is due, in ms after the start, ascending. The same pace yields the same times. */
export function* arrivals({ rate, durationMs, spacing, seed }: Pace): Generator<Milliseconds, void> {
  const random = uniform(seed)
  const gapMs = 1000 / rate
  for (let i = 0, at = 0; at < durationMs; i++) {
    yield at
    // a product, not a sum, so that a million gaps do not drift
    at = spacing === 'even' ? (i + 1) * gapMs : at - gapMs * Math.log(1 - random())
  }
}

/** mulberry32 (Tommy Ettinger, public domain): uniform in [0, 1), reproducible from the seed. */
export function uniform(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
